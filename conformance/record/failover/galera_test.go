package failover_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
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
	s.Load.MakeMarkers(t)
	var members []*stage.Recorder
	for i, n := range cluster.Nodes {
		name := fmt.Sprint("member-", i)
		config := stage.Kubeconfig(t, s.Plane.RESTConfig(), "")
		members = append(members, stage.Start(t, name, func() *exec.Cmd {
			return stage.RecordCommand(s.Program, config, name, strings.Join(s.Types, ","), "-A", "--db", n.URL("history"), "--join", "--join-lease", stage.ShareLease.String(), "--wait-for-types")
		}))
	}
	s.Held(t, 2)
	s.UnderLoad(t, *stage.Jobs, func() {
		for range *galera {
			for _, n := range cluster.Nodes {
				s.Shuffled(t, []stage.Fault{{Name: "kill a node", Do: func() {
					n.Kill()
					<-time.After(*stage.Outage) // an input: the length of the outage
					if err := n.Start(t.Context(), false); err != nil {
						t.Error(err)
					}
				}}})
			}
			s.Shuffled(t, []stage.Fault{{Name: "kill all nodes", Do: func() {
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
	s.Held(t, 2)
	s.Settle(t)
	s.Compare(t, false)
	s.Closed(t, 0)
	conflicts := 0
	for _, m := range members {
		said, err := os.ReadFile(m.Log)
		if err != nil {
			t.Fatal(err)
		}
		conflicts += strings.Count(strings.ToLower(string(said)), "deadlock")
		m.Stop(t)
	}
	t.Logf("%d conflicts in the logs", conflicts)
}

// newGaleraStage is stage.New with a Galera cluster.
func newGaleraStage(t *testing.T, cluster *dbtest.Galera, names ...string) *stage.Stage {
	t.Helper()
	d, err := sqldb.Open(t.Context(), cluster.Nodes[0].URL("mysql"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.SQL().ExecContext(t.Context(), "CREATE DATABASE history"); err != nil {
		t.Fatal(err)
	}
	return stage.On(t, gobuild.Program(t, gobuild.Vedette), cluster.Nodes[0].URL("history"), controlplane.Options{}, names...)
}
