package record_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestWindow checks that events that the server has dropped cause a gap with the right
// bounds. The differences and deletions after it are written. A recorder that saw the
// events heals the gap.
func TestWindow(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		w.create(pod("b"))
		stop := w.record("one")
		w.until(transitions, "a  Queued", "b  Queued")
		stop()
		w.phase("a", "Running")
		w.phase("a", "Failed")
		if err := w.srv.Delete(pod("b")); err != nil {
			t.Fatal(err)
		}
		w.create(pod("c"))
		w.srv.Compact()
		stop = w.record("two")
		w.until(transitions, "a  Queued", "a Queued Failed", "b  Queued", "b Queued Deleted", "c  Queued")
		w.until("SELECT DISTINCT source FROM revisions ORDER BY source", "2", "3")
		w.until(gapRows, "two window closed")
		w.until("SELECT g.from_version = (SELECT to_version FROM coverage WHERE recorder = 'one'), g.to_version = (SELECT from_version FROM coverage WHERE recorder = 'two') FROM gaps g", yes(url)+" "+yes(url))
		stop()
	})
}

// TestGapHeals checks that a gap heals if another recorder saw the events, and that an
// observed deletion replaces the inferred one.
func TestGapHeals(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		stopOne := w.record("one")
		defer stopOne()
		w.until(transitions, "a  Queued")
		w.create(pod("z"))
		w.until("SELECT COUNT(*) FROM revisions WHERE source = 1", "1") // the recorder watches
		// Recorder two sees nothing until the server has dropped the events.
		now := time.Now()
		second := apitest.Match{Verb: apitest.VerbWatch, Resource: "pods", Where: func(r apitest.Request) bool { return r.Time.After(now) }}
		blind, err := w.srv.Inject(apitest.Fault{Match: second, Times: 1, Action: apitest.Stall()})
		if err != nil {
			t.Fatal(err)
		}
		stopTwo := w.record("two")
		defer stopTwo()
		<-blind.Struck()
		w.phase("a", "Running")
		if err := w.srv.Delete(pod("a")); err != nil {
			t.Fatal(err)
		}
		w.create(pod("b"))
		w.until(transitions, "a  Queued", "a Queued Running", "a Running Deleted", "b  Queued", "z  Queued")
		w.srv.Compact()
		blind.Release()
		w.until("SELECT COUNT(*) FROM gaps", "1")
		w.phase("b", "Running")
		w.until(gapRows, "two window healed")
		w.until("SELECT source FROM revisions WHERE deleted = 1", "1")
	})
}

// TestGapIsFilled checks that a later recorder fills an open gap if its server still has
// the events. If no server has them, recording continues at the resume point.
func TestGapIsFilled(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		for _, name := range []string{"a", "b", "z"} {
			w.create(pod(name))
		}
		w.catchUp("one")
		// Within the gap, objects change, are deleted, and are created again.
		w.phase("a", "Running")
		w.phase("a", "Failed")
		for _, name := range []string{"b", "z"} {
			w.phase(name, "Running")
			if err := w.srv.Delete(pod(name)); err != nil {
				t.Fatal(err)
			}
		}
		w.create(pod("b"))
		w.phase("b", "Failed")
		w.forgetful(1)
		w.catchUp("one")
		w.until(transitions, "a  Queued", "a Queued Failed", "b  Queued", "b Queued Deleted", "b  Failed", "z  Queued", "z Queued Deleted")
		w.until(gapRows, "one window closed")
		w.catchUp("two")
		filled := []string{
			"a  Queued", "a Queued Running", "a Running Failed", "b  Queued", "b Queued Running", "b Running Deleted",
			"b  Queued", "b Queued Failed", "z  Queued", "z Queued Running", "z Running Deleted",
		}
		w.until(transitions, filled...)
		w.until(gapRows, "one window healed")
		w.phase("a", "Running")
		w.phase("a", "Failed")
		w.srv.Compact()
		w.catchUp("two")
		w.until(gapRows, "one window healed", "two window closed")
		w.phase("b", "Running")
		w.catchUp("three")
		w.until(gapRows, "one window healed", "two window closed")
		w.until("SELECT COUNT(*) FROM transitions WHERE from_state = 'Failed' AND to_state = 'Running' AND source = 1", "1")
	})
}

// TestGapHealsByParts checks that recorders that saw parts of a gap heal it together.
func TestGapHealsByParts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		w.catchUp("one")
		w.phase("a", "Running")
		w.catchUp("one")
		w.until("SELECT COUNT(*) FROM coverage", "1") // a recorder continues its row
		end := w.srv.Version()
		gap := fmt.Sprintf("INSERT INTO gaps (cluster_id, resource_id, namespace, selector_hash, recorder, cause, from_version, to_version, from_at, to_at, detail, healed_at)"+
			" SELECT cluster_id, resource_id, namespace, selector_hash, 'three', 'window', %d, %d, from_at, to_at, '', 0 FROM coverage", end-1, end+1)
		if _, err := w.d.SQL().ExecContext(t.Context(), gap); err != nil {
			t.Fatal(err)
		}
		w.phase("a", "Failed")
		w.catchUp("two")
		w.until(gapRows, "three window healed")
	})
}

// forgetful makes the server refuse some watches, as if it had dropped the version.
func (w *world) forgetful(times int) {
	w.t.Helper()
	match := apitest.Match{Verb: apitest.VerbWatch, Resource: "pods"}
	if _, err := w.srv.Inject(apitest.Fault{Match: match, Times: times, Action: apitest.Respond(apitest.Failure(410, 0))}); err != nil {
		w.t.Fatal(err)
	}
}

// catchUp runs a recorder until it has caught up with the server.
func (w *world) catchUp(name string) {
	w.t.Helper()
	stop := w.record(name)
	defer stop()
	w.until("SELECT COUNT(*) FROM coverage WHERE recorder = '"+name+"' AND to_version >= "+fmt.Sprint(w.srv.Version()), "1")
}
