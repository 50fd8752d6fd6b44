package record_test

import (
	"flag"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/dbtest"
)

var failovers = flag.Int("failovers", 1, "how many times TestStandby kills the primary server of PostgreSQL")

// TestStandby: two recorders share Jobs and pods, with a URL that names a PostgreSQL server and
// its synchronous standby. The primary is killed and the standby promoted, under load. The killed
// server becomes the standby, and then the primary again. In the end the database has every
// revision of etcd once, in order, and no gap.
func TestStandby(t *testing.T) {
	if !slices.Contains(dbtest.Kinds(), "postgres") {
		return
	}
	pair := dbtest.StartPostgresPair(t)
	if err := pair.Exec(t.Context(), "CREATE DATABASE history"); err != nil {
		t.Fatal(err)
	}
	s := stageOn(t, build(t), pair.URL("history"), controlplane.Options{}, "jobs", "pods")
	s.load.makeMarkers(t)
	var members []*recorder
	for i := range 2 {
		name := fmt.Sprint("member-", i)
		config := kubeconfig(t, s.plane.RESTConfig(), "")
		members = append(members, startProgram(t, name, func() *exec.Cmd {
			return recordCommand(s.program, config, name, strings.Join(s.types, ","), "-A", "--db", s.url, "--join", "--join-lease", shareLease.String(), "--wait-for-types")
		}))
	}
	s.held(t, 2)
	s.underLoad(t, *jobs/2, func() {
		for range *failovers {
			shuffled(t, []fault{{"kill the primary", func() {
				pair.Primary.Kill()
				<-time.After(2 * time.Second)
				if err := pair.Failover(t.Context()); err != nil {
					t.Error(err)
				}
				<-time.After(2 * time.Second)
				if err := pair.Join(t.Context()); err != nil {
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
	for _, m := range members {
		m.stop(t)
	}
}
