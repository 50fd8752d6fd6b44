package record_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestDatabaseRestored checks that a recorder notices that its database was restored from a copy, at
// its next write. It records again what the server still has, and the rest is a gap.
func TestDatabaseRestored(t *testing.T) {
	for name, compacted := range map[string]bool{"the server has the events": false, "the server has the present": true} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, url string) {
				w := newWorld(t, url)
				w.create(pod("a"))
				w.create(pod("b"))
				defer w.record("one")()
				w.until(presences, "a 0 Queued", "b 0 Queued")
				w.phase("a", corev1.PodRunning)
				w.until(presences, "a 0 Running", "b 0 Queued")
				restore := dbtest.Backup(t, url, w.d.SQL())
				w.phase("a", corev1.PodFailed)
				w.create(pod("c"))
				if err := w.srv.Delete(pod("b")); err != nil {
					t.Fatal(err)
				}
				w.until(presences, "a 0 Failed", "b 1 Deleted", "c 0 Queued")
				if compacted {
					w.srv.Compact()
				}
				restore()
				w.phase("c", corev1.PodRunning)
				w.until(presences, "a 0 Failed", "b 1 Deleted", "c 0 Running")
				if compacted {
					w.until(gapRows, "one window closed")
					w.until(transitions, "a  Queued", "a Queued Running", "a Running Failed", "b  Queued", "b Queued Deleted", "c  Running")
				} else {
					w.until(gapRows)
					w.until(transitions, "a  Queued", "a Queued Running", "a Running Failed", "b  Queued", "b Queued Deleted", "c  Queued", "c Queued Running")
				}
				w.until("SELECT COUNT(*) FROM recorder_scopes WHERE behind_at = 0", "1")
			})
		})
	}
}
