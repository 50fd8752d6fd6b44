package kills_test

import (
	"flag"
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

var kills = flag.Int("kills", 4, "how many times each set of recorders is killed")

// TestKilled: while Jobs and their pods are created, changed and deleted, recorders, the
// API server and the database are killed, and the networks between them are cut. In the
// end the database has every revision of etcd once, in order, and nothing else; revisions
// that the server no longer had are in gaps.
func TestKilled(t *testing.T) {
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := stage.New(t, program, kind, controlplane.Options{}, "jobs", "pods")
			var flags []string
			if kind != "postgres" { // one with, one without
				flags = []string{"--spill", t.TempDir()}
			}
			one := s.Record(t, "one", flags...)
			s.Covered(t, "one")
			s.Load.MakeMarkers(t)
			s.UnderLoad(t, *stage.Jobs/2, func() { alone(t, s, one) })
			s.Settle(t, "one")
			s.Compare(t, true)
			t.Logf("%d starts of one recorder, %d of the API server", one.Starts, len(s.Restarts))
			if t.Failed() {
				return
			}
			s.Plane.Resume()
			two, since := s.Peer(t)
			s.UnderLoad(t, *stage.Jobs, func() { both(t, s, one, two) })
			s.Settle(t, "one", "two")
			s.Compare(t, false)
			s.Closed(t, since)
			t.Logf("%d starts of one recorder, %d of the other", one.Starts, two.Starts)
			one.Stop(t)
			two.Stop(t)
		})
	}
}

// alone injects faults into one recorder, the server and the database.
func alone(t *testing.T, s *stage.Stage, one *stage.Recorder) {
	t.Helper()
	var faults []stage.Fault
	for range *kills {
		faults = append(faults, stage.KillFault(t, one))
	}
	faults = append(faults, s.DatabaseFault(t))
	for _, m := range []network.Mode{network.Refuse, network.Reset, network.Stall, network.Drop} {
		faults = append(faults, stage.CutFault("API server", s.API, m))
		if s.DB != nil {
			faults = append(faults, stage.CutFault("database", s.DB, m))
		}
	}
	s.Shuffled(t, faults)
	if s.DB != nil { // while no goroutine waits for an answer
		s.Shuffled(t, []stage.Fault{stage.CutFault("database", s.DB, network.Drop)})
	}
	s.Settle(t, "one") // so far the server had the whole history
	faults = []stage.Fault{s.ServerFault(t), s.ServerFault(t), stage.CutFault("API server", s.API, network.Reset)}
	for range *kills / 3 {
		faults = append(faults, stage.KillFault(t, one))
	}
	s.Shuffled(t, faults)
}

// both kills two recorders in turn, and disconnects one of them.
func both(t *testing.T, s *stage.Stage, one, two *stage.Recorder) {
	t.Helper()
	var faults []stage.Fault
	for n := range *kills {
		r := []*stage.Recorder{one, two}[n%2]
		faults = append(faults, stage.KillFault(t, r))
	}
	// The history that one's server loses is available from two's server, whichever
	// recorder is killed.
	faults = append(faults, s.DatabaseFault(t), stage.CutFault("API server", s.API, network.Refuse), s.ServerFault(t), s.ServerFault(t))
	if s.DB != nil {
		faults = append(faults, stage.CutFault("database", s.DB, network.Drop), stage.CutFault("database", s.DB, network.Stall))
	}
	s.Shuffled(t, faults)
	s.Settle(t, "one", "two")
	// Two is down while one's server loses its history, and one lists.
	two.Kill()
	s.RestartAPIServer(t)
	s.Settle(t, "one")
	two.Launch(t)
	s.Settle(t, "one", "two")
	s.Shuffled(t, []stage.Fault{stage.KillFault(t, two), stage.KillFault(t, one)})
}
