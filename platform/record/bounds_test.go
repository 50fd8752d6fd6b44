package record_test

import (
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestBoundsOfGap checks events that a watch delivered just before the server dropped them,
// and that are written in one batch with the following list. They are covered, and the gap
// begins after them.
func TestBoundsOfGap(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		w.create(pod("z"))
		stop := w.record("one")
		defer stop()
		w.until(transitions, "a  Queued", "z  Queued")
		w.phase("a", "Running")
		w.until(transitions, "a  Queued", "a Queued Running", "z  Queued")
		// 1. The database is locked, so events wait; the last one is about z.
		tx, err := w.d.SQL().BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		if _, err := tx.ExecContext(t.Context(), "UPDATE objects SET reason = reason"); err != nil {
			t.Fatal(err)
		}
		w.phase("a", "Unknown")
		w.healthy("the writer waits for the lock", func(h record.TargetHealth) bool {
			return uint64(h.Reflector.Version) >= w.srv.Version() && h.Queued == 0
		})
		w.phase("z", "Running")
		w.seen()
		// 2. The server drops its events.
		w.srv.Unavailable()
		if err := w.srv.Delete(pod("a")); err != nil {
			t.Fatal(err)
		}
		w.srv.Compact()
		if err := w.srv.Available(); err != nil {
			t.Fatal(err)
		}
		w.healthy("the informer notices the gap", func(h record.TargetHealth) bool { return h.Reflector.LastGap.To > 0 })
		// 3. The writer writes everything.
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		w.until(gapRows, "one window closed")
		w.until("SELECT COUNT(*) FROM revisions r JOIN objects o ON o.id = r.object_id JOIN gaps g ON g.from_version = r.version WHERE o.name = 'z' AND r.source = 1", "1")
		w.until("SELECT COUNT(*) FROM coverage c JOIN gaps g ON g.from_version = c.to_version", "1")
	})
}

// TestCorrectedDeletion checks that an earlier deletion that a watch reported replaces an
// inferred one, also in the row of the object.
func TestCorrectedDeletion(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		for _, batch := range [][]record.Observation{
			{{UID: "a", Version: 1, State: job.Running, Raw: "Running", Body: "{}"}},
			{{UID: "a", Version: 9, State: job.Deleted, Missed: true}},
			{
				{UID: "a", Version: 4, State: job.Succeeded, Raw: "Complete", Body: "{}"},
				{UID: "a", Version: 5, State: job.Deleted, Raw: "Complete", Body: "{}"},
			},
		} {
			if _, err := record.Write(t.Context(), w.d, batch); err != nil {
				t.Fatal(err)
			}
		}
		w.until("SELECT version, state, raw_state, deleted FROM revisions ORDER BY version", "1 Running Running 0", "4 Succeeded Complete 0", "5 Deleted Complete 1")
		w.until("SELECT version, from_state, to_state, from_raw_state, to_raw_state FROM transitions ORDER BY version",
			"1  Running  Running", "4 Running Succeeded Running Complete", "5 Succeeded Deleted Complete Complete")
		w.until("SELECT version, presence, state, raw_state, message FROM objects", "5 1 Deleted Complete at 5")
	})
}
