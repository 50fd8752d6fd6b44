package record_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record/sqldb"
)

var galera = flag.Int("galera", 0, "how many times TestGalera kills each node, and all of them; 0 skips it")

// TestGalera: three recorders share Jobs and pods, each on its own node of a Galera cluster.
// Each node is killed in turn, and then all of them at once. In the end the database has
// every revision of etcd once, in order, and no gap.
func TestGalera(t *testing.T) {
	if *galera == 0 {
		return
	}
	cluster := dbtest.StartGalera(t)
	s := newGaleraStage(t, cluster, "jobs", "pods")
	s.load.makeMarkers(t)
	var members []*recorder
	for i, n := range cluster.Nodes {
		name := fmt.Sprint("member-", i)
		config := kubeconfig(t, s.plane.RESTConfig(), "")
		members = append(members, startProgram(t, name, func() *exec.Cmd {
			return recordCommand(s.program, config, name, strings.Join(s.types, ","), "-A", "--db", n.URL("history"), "--join", "--join-lease", shareLease.String(), "--wait-for-types")
		}))
	}
	s.held(t, 2)
	s.underLoad(t, *jobs, func() {
		for range *galera {
			for _, n := range cluster.Nodes {
				shuffled(t, []fault{{"kill a node", func() {
					n.Kill()
					<-time.After(*outage)
					if err := n.Start(t.Context(), false); err != nil {
						t.Error(err)
					}
				}}})
			}
			shuffled(t, []fault{{"kill all nodes", func() {
				for _, n := range cluster.Nodes {
					n.Kill()
				}
				if err := cluster.Bootstrap(t.Context()); err != nil {
					t.Error(err)
				}
			}}})
		}
	})
	if t.Failed() {
		return
	}
	s.held(t, 2)
	s.settle(t, 3*time.Minute)
	s.compare(t, false)
	s.closed(t, 0)
	conflicts := 0
	for _, m := range members {
		said, err := os.ReadFile(m.log)
		if err != nil {
			t.Fatal(err)
		}
		conflicts += strings.Count(strings.ToLower(string(said)), "deadlock")
		m.stop(t)
	}
	t.Logf("%d conflicts in the logs", conflicts)
}

// newGaleraStage is newStage with a Galera cluster.
func newGaleraStage(t *testing.T, cluster *dbtest.Galera, names ...string) *stage {
	t.Helper()
	d, err := sqldb.Open(t.Context(), cluster.Nodes[0].URL("mysql"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.SQL().ExecContext(t.Context(), "CREATE DATABASE history"); err != nil {
		t.Fatal(err)
	}
	return stageOn(t, build(t), cluster.Nodes[0].URL("history"), controlplane.Options{}, names...)
}
