package window_test

import (
	"strconv"
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/conformance/network"
	"github.com/vedette-io/vedette/conformance/record/stage"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestWindow: history that the server no longer has when a recorder restarts is one gap
// for each type, with the right bounds, and objects that vanished in it are deleted. If
// another recorder ran meanwhile, nothing is missing, and no gap remains.
func TestWindow(t *testing.T) {
	program := gobuild.Program(t, gobuild.Vedette)
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			s := stage.New(t, program, kind, controlplane.Options{Parts: controlplane.APIServerOnly}, "jobs", "pods")
			s.Load.MakeMarkers(t)
			for _, name := range []string{"changes", "vanishes", "stays"} {
				s.MakePod(t, name)
			}
			one := s.Record(t, "one")
			s.Covered(t, "one")
			s.Settle(t, "one")
			one.Kill()
			forgotten(t, s, one)
			if t.Failed() {
				return
			}
			two, since := s.Peer(t)
			cutOff(t, s)
			s.Settle(t, "one", "two")
			one.Kill()
			s.Change(t, "again")
			s.Forget(t)
			one.Launch(t)
			s.Settle(t, "one", "two")
			s.Compare(t, false)
			s.Closed(t, since)
			one.Stop(t)
			two.Stop(t)
		})
	}
}

// forgotten makes changes that the recorder, which is stopped, cannot see.
func forgotten(t *testing.T, s *stage.Stage, one *stage.Recorder) {
	t.Helper()
	before := map[string]int64{}
	d := s.Open(t)
	defer d.Close()
	for _, resource := range s.Types {
		before[resource] = stage.Read(t, d, resource).Reach("one")
	}
	s.Change(t, "hidden")
	s.DeletePod(t, "vanishes")
	s.Forget(t)
	one.Launch(t)
	s.Settle(t, "one")
	s.Compare(t, true)
	for _, resource := range s.Types {
		h := stage.Read(t, d, resource)
		if len(h.Gaps) != 1 || h.Gaps[0].Healed || h.Gaps[0].Cause != history.CauseWindow || h.Gaps[0].From != before[resource] {
			t.Errorf("%s: the gaps are %v, want one from %d", resource, h.Gaps, before[resource])
			continue
		}
		if to := h.Gaps[0].To; to < s.Restarts[0].From || to != h.Coverage[len(h.Coverage)-1].From {
			t.Errorf("%s: the gap is %v; the server restarted at %v, and coverage is %v", resource, h.Gaps[0], s.Restarts[0], h.Coverage)
		}
	}
	want := map[string]string{"vanishes": "relist true 2", "changes": "relist false 2", "begins-hidden": "relist false 1", "stays": "list false 1"}
	for _, o := range stage.Read(t, d, "pods").Objects {
		if o.Name == "marker" {
			continue
		}
		last := o.Revisions[len(o.Revisions)-1]
		if got := last.Source.String() + " " + strconv.FormatBool(last.Gone) + " " + strconv.Itoa(len(o.Revisions)); got != want[o.Name] {
			t.Errorf("the last revision of %s is of %s, want %s: %v", o.Name, got, want[o.Name], o.Revisions)
		}
		delete(want, o.Name)
	}
	if len(want) > 0 {
		t.Errorf("nothing is recorded of %v", want)
	}
}

// cutOff makes changes that one recorder cannot see, and the other can.
func cutOff(t *testing.T, s *stage.Stage) {
	t.Helper()
	s.API.Set(network.Refuse)
	s.Change(t, "seen")
	s.DeletePod(t, "stays")
	s.Forget(t)
	s.API.Set(network.Whole)
}
