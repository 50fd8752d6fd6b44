package record_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// restore makes changes that a restore of the server's backup loses: a is changed, b is deleted and c is
// created. Then it changes d, with a version that the lost changes had.
func (w *world) restore(lost int) {
	w.t.Helper()
	restore := w.srv.Backup()
	for range lost {
		w.phase("a", corev1.PodSucceeded)
		w.phase("a", corev1.PodFailed)
	}
	w.create(pod("c"))
	if err := w.srv.Delete(pod("b")); err != nil {
		w.t.Fatal(err)
	}
	w.until(presences, "a 0 Failed", "b 1 Deleted", "c 0 Queued", "d 0 Queued")
	if err := restore(); err != nil {
		w.t.Fatal(err)
	}
	if _, err := apitest.Modify(w.srv, pod("d"), func(obj *corev1.Pod) { obj.Status.Phase = corev1.PodRunning }); err != nil {
		w.t.Fatal(err)
	}
}

// TestRestored checks that the history follows a server that was restored from a backup, with one
// recorder and with two of one scope, and that it says which versions the server lost.
func TestRestored(t *testing.T) {
	for name, recorders := range map[string][]string{"alone": {"one"}, "beside another": {"one", "two"}} {
		t.Run(name, func(t *testing.T) {
			dbtest.Each(t, func(t *testing.T, url string) {
				w := newWorld(t, url)
				w.silence = 100 * time.Millisecond
				for _, name := range []string{"a", "b", "d"} {
					w.create(pod(name))
				}
				for _, name := range recorders {
					defer w.record(name)()
				}
				w.until(presences, "a 0 Queued", "b 0 Queued", "d 0 Queued")
				w.phase("a", corev1.PodRunning)
				w.until("SELECT DISTINCT recorder FROM coverage ORDER BY recorder", recorders...)
				w.restore(5)
				w.until(presences, "a 0 Running", "b 0 Queued", "c 1 Deleted", "d 0 Running")
				w.until("SELECT DISTINCT cause FROM gaps", "restored")
				w.until(transitions,
					"a  Queued", "a Queued Running", "a Running Succeeded", "a Succeeded Failed", "a Failed Succeeded", "a Succeeded Failed", "a Failed Succeeded", "a Succeeded Failed",
					"a Failed Succeeded", "a Succeeded Failed", "a Failed Succeeded", "a Succeeded Failed", "a Failed Running",
					"b  Queued", "b Queued Deleted", "b Deleted Queued", "c  Queued", "c Queued Deleted", "d  Queued", "d Queued Running")
				w.phase("a", corev1.PodSucceeded)
				w.create(pod("e"))
				w.until(presences, "a 0 Succeeded", "b 0 Queued", "c 1 Deleted", "d 0 Running", "e 0 Queued")
				w.until("SELECT DISTINCT recorder FROM coverage WHERE base_version = 1000000000000 ORDER BY recorder", recorders...)
				w.until("SELECT DISTINCT base_version FROM coverage WHERE ended_at = 0", "1000000000000")
			})
		})
	}
}

// TestRestoredWhileStopped checks the same for a recorder that starts after the restore, and that later recorders
// resume at versions of the restored server.
func TestRestoredWhileStopped(t *testing.T) {
	w := newWorld(t, "sqlite:"+t.TempDir()+"/history.db")
	w.silence = 100 * time.Millisecond
	for _, name := range []string{"a", "b", "d"} {
		w.create(pod(name))
	}
	w.phase("a", corev1.PodRunning)
	stop := w.record("one")
	restore := w.srv.Backup()
	for range 5 {
		w.phase("a", corev1.PodSucceeded)
		w.phase("a", corev1.PodRunning)
	}
	w.create(pod("c"))
	w.until(presences, "a 0 Running", "b 0 Queued", "c 0 Queued", "d 0 Queued")
	stop()
	if err := restore(); err != nil {
		t.Fatal(err)
	}
	w.phase("d", corev1.PodRunning)
	stop = w.record("one")
	w.until(presences, "a 0 Running", "b 0 Queued", "c 1 Deleted", "d 0 Running")
	stop()
	w.phase("d", corev1.PodSucceeded)
	defer w.record("one")()
	w.until(presences, "a 0 Running", "b 0 Queued", "c 1 Deleted", "d 0 Succeeded")
	w.until("SELECT cause FROM gaps", "restored") // the last start resumed
}
