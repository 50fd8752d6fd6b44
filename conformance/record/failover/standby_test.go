package failover_test

import (
	"flag"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
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
	s := stage.On(t, gobuild.Program(t, gobuild.Vedette), pair.URL("history"), controlplane.Options{}, "jobs", "pods")
	s.Load.MakeMarkers(t)
	var members []*stage.Recorder
	for i := range 2 {
		name := fmt.Sprint("member-", i)
		config := stage.Kubeconfig(t, s.Plane.RESTConfig(), "")
		members = append(members, stage.Start(t, name, func() *exec.Cmd {
			return stage.RecordCommand(s.Program, config, name, strings.Join(s.Types, ","), "-A", "--db", s.URL, "--join", "--join-lease", stage.ShareLease.String(), "--wait-for-types")
		}))
	}
	s.Held(t, 2)
	s.UnderLoad(t, *stage.Jobs/2, func() {
		for range *failovers {
			s.Shuffled(t, []stage.Fault{{Name: "kill the primary", Do: func() {
				pair.Primary.Kill()
				<-time.After(2 * time.Second) // an input: the length of the outage
				if err := pair.Failover(t.Context()); err != nil {
					t.Error(err)
				}
				<-time.After(2 * time.Second) // an input: the length of the outage
				if err := pair.Join(t.Context()); err != nil {
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
	for _, m := range members {
		m.Stop(t)
	}
}
