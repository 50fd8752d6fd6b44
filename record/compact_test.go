package record_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/wire"
)

// TestCompact: rows of the ledger that touch are joined, and what recorders resume from,
// or go on with, stays.
func TestCompact(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
		row := func(resource int, recorder string, from, to int, ago time.Duration) {
			at := now.Add(-ago).UnixMicro()
			w.rows(fmt.Sprintf("INSERT INTO coverage (cluster_id, resource_id, namespace, selector_hash, recorder, from_version, to_version, from_at, to_at)"+
				" VALUES (1, %d, '', 0, '%s', %d, %d, %d, %d)", resource, recorder, from, to, at-1, at))
		}
		const day = 24 * time.Hour
		row(1, "a", 1, 10, 9*day)
		row(1, "a", 5, 20, 8*day)
		row(1, "b", 15, 30, 7*day) // its last
		row(1, "a", 25, 40, time.Minute)
		row(1, "c", 2, 3, 6*day)   // its last, though others have seen that too
		row(1, "a", 60, 70, 5*day) // touches none, and ends last
		row(2, "a", 1, 5, 200*day) // the only one there
		row(3, "a", 1, 5, 200*day) // nothing touches it, and there are later ones
		row(3, "a", 7, 9, 100*day)
		gap := func(cause string, healed time.Duration) {
			at := int64(0)
			if healed > 0 {
				at = now.Add(-healed).UnixMicro()
			}
			w.rows(fmt.Sprintf("INSERT INTO gaps (cluster_id, resource_id, namespace, selector_hash, recorder, cause, from_version, to_version, from_at, to_at, detail, healed_at)"+
				" VALUES (1, 1, '', 0, 'a', '%s', 1, 2, 3, 4, '', %d)", cause, at))
		}
		gap("open", 0)
		gap("long", 100*day)
		gap("lately", day)

		dry, err := w.d.PruneDryAt(t.Context(), record.Retention{Keep: 90 * day}, now)
		if err != nil || dry.Ledger != 4 {
			t.Errorf("%v, %v", dry, err)
		}
		done, err := w.d.PruneAt(t.Context(), record.Retention{Keep: 90 * day}, now, 10, 10)
		if err != nil || done.Ledger != 4 {
			t.Errorf("%v, %v", done, err)
		}
		w.until("SELECT cause FROM gaps ORDER BY id", "open", "lately")
		w.until("SELECT resource_id, recorder, from_version, to_version FROM coverage ORDER BY id",
			"1 b 1 30", "1 a 25 40", "1 c 2 3", "1 a 60 70", "2 a 1 5", "3 a 7 9")
	})
}

// TestPruneBesideRecorder: a recorder remembers what the next revisions are compared
// with; it stays for them, however old it is.
func TestPruneBesideRecorder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		long := pod("a")
		long.Annotations = map[string]string{"long": fmt.Sprint(slices.Repeat([]string{"as before"}, 100))}
		w.create(long)
		stop := w.record("one")
		defer stop()
		w.until(transitions, "a  Queued")
		for i := range 6 {
			phase := []corev1.PodPhase{corev1.PodRunning, corev1.PodPending}[i%2]
			for j := range 5 {
				if _, err := apitest.Modify(w.srv, long, func(p *corev1.Pod) { p.Status.Phase, p.Status.Message = phase, fmt.Sprint(i, j) }); err != nil {
					t.Fatal(err)
				}
			}
			w.until("SELECT message FROM objects", fmt.Sprint(i, 4))
			if _, err := w.d.PruneAt(t.Context(), record.Retention{Keep: time.Nanosecond}, time.Now().Add(time.Hour), 10, 10); err != nil {
				t.Fatal(err)
			}
			for _, version := range w.rows("SELECT version FROM revisions") {
				var v wire.Version
				if _, err := fmt.Sscan(version, &v); err != nil {
					t.Fatal(err)
				}
				if _, _, err := w.d.Revision(t.Context(), 1, v); err != nil {
					t.Errorf("round %d, version %v: %v", i, v, err)
				}
			}
		}
		if n := len(w.rows("SELECT version FROM revisions")); n > 2 {
			t.Errorf("%d revisions are left", n)
		}
	})
}
