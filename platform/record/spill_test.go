package record_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/erase"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// away makes the database reject everything until back is called.
func (w *world) away() (back func()) {
	w.t.Helper()
	rename := func(from, to string) {
		w.t.Helper()
		if _, err := w.d.SQL().ExecContext(context.WithoutCancel(w.t.Context()), "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
			w.t.Fatal(err)
		}
	}
	rename("revisions", "revisions_away")
	return func() { rename("revisions_away", "revisions") }
}

// TestSpoolName checks that the names of spools never change. Otherwise a recorder would
// not find the batches in existing ones.
func TestSpoolName(t *testing.T) {
	pods, jobs := kube.Resource{Version: "v1", Name: "pods"}, kube.Resource{Group: "batch", Version: "v1", Name: "jobs"}
	for want, c := range map[string]struct {
		resource kube.Resource
		target   record.Target
	}{
		"pods-f391574887f0bd41":       {pods, record.Target{Type: "pods"}},
		"jobs.batch-4ea38fd1a04c5ef8": {jobs, record.Target{Type: "jobs.batch", Namespace: "ml"}},
		"pods-44c61b610e53668f":       {pods, record.Target{Type: "pods", Namespace: "ml", LabelSelector: "app=train,tier!=b", FieldSelector: "status.phase=Running"}},
		"pods-90eb8d7bbcdb5a87":       {pods, record.Target{Type: "pods", FieldSelector: "spec.nodeName=a"}},
	} {
		got := record.SpoolName(c.resource, "0f1c9f5e-7c1b-4a7e-9d0e-6f2f3c1d2a4b", "postgres://vedette@db:5432/history", "recorder-a", c.target)
		if got != want {
			t.Errorf("%+v: %s, want %s", c.target, got, want)
		}
	}
}

// TestSpill checks that all deltas wait on disk while the database is unavailable. They are
// written in order when the database is back, also by another process, even if the server
// no longer has them.
func TestSpill(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.spill = record.Spill{After: 20 * time.Millisecond, Dir: t.TempDir()}
		w.create(pod("a"))
		stop := w.record("one")
		w.until(transitions, "a  Queued")
		back := w.away()
		for _, p := range []corev1.PodPhase{"Running", "Pending", "Running", "Failed"} {
			w.phase("a", p)
		}
		w.spilled(1)
		w.phase("a", "Running")
		w.phase("a", "Succeeded")
		w.spilled(w.recorder.Health().Targets[0].Spilled + 1)
		w.seen()
		w.srv.Compact() // the server drops all of it
		back()
		want := []string{"a  Queued", "a Queued Running", "a Running Queued", "a Queued Running", "a Running Failed", "a Failed Running", "a Running Succeeded"}
		w.until(transitions, want...)
		w.until("SELECT COUNT(*) FROM gaps", "0")
		back = w.away()
		w.phase("a", "Failed")
		w.spilled(1)
		stop()
		back()
		w.srv.Compact()
		w.phase("a", "Running")
		stop = w.record("one")
		defer stop()
		w.until(transitions, append(want, "a Succeeded Failed", "a Failed Running")...)
		w.until("SELECT COUNT(*) FROM gaps", "0")
	})
}

// TestSpillOfErased: a recorder that writes the spill of an earlier process does not bring an
// erased object back. Other objects of the spill are stored.
func TestSpillOfErased(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		spill := record.Spill{After: 20 * time.Millisecond, Dir: t.TempDir()}
		w.spill = spill
		w.create(pod("a"))
		w.create(pod("b"))
		stop := w.record("one")
		w.until("SELECT name FROM objects ORDER BY name", "a", "b")
		back := w.away()
		w.phase("a", "Running")
		w.phase("b", "Running")
		w.spilled(1)
		stop()
		back()
		w.spill = record.Spill{}
		if err := w.srv.Delete(pod("a")); err != nil {
			t.Fatal(err)
		}
		stop = w.record("two")
		w.until("SELECT state FROM objects WHERE name = 'a'", "Deleted")
		stop()
		var id int64
		if err := w.d.QueryRow(t.Context(), "SELECT id FROM objects WHERE name = 'a'").Scan(&id); err != nil {
			t.Fatal(err)
		}
		plan, err := erase.Find(t.Context(), w.d, id)
		if err == nil {
			_, err = erase.Run(t.Context(), erase.Config{DB: w.d}, plan)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.create(pod("c"))
		w.spill = spill
		stop = w.record("one")
		defer stop()
		w.until("SELECT name FROM objects ORDER BY name", "b", "c")
		w.until("SELECT COUNT(*) FROM transitions t JOIN objects o ON o.id = t.object_id WHERE o.name = 'b'", "2")
	})
}

// TestSpillIsBounded checks that the recorder stops reading from the server at the limit of
// the spill, and that nothing is lost.
func TestSpillIsBounded(t *testing.T) {
	w := newWorld(t, dbtest.Empty(t, "sqlite"))
	w.spill = record.Spill{After: 20 * time.Millisecond, Dir: t.TempDir(), MaxBytes: 4000}
	w.create(pod("a"))
	stop := w.record("one")
	defer stop()
	w.until(transitions, "a  Queued")
	back := w.away()
	want := []string{"a  Queued"}
	for range 20 {
		w.phase("a", "Running")
		w.phase("a", "Pending")
		want = append(want, "a Queued Running", "a Running Queued")
		w.spilled(1)
	}
	if n := w.recorder.Health().Targets[0].Spilled; n > 4000 {
		t.Errorf("got %d spilled bytes, more than the limit", n)
	}
	back()
	w.until(transitions, want...)
}

// TestSpillHoldsNoSecrets checks that the spill has no data that is never stored.
func TestSpillHoldsNoSecrets(t *testing.T) {
	w := newWorld(t, dbtest.Empty(t, "sqlite"))
	w.spill = record.Spill{After: 20 * time.Millisecond, Dir: t.TempDir()}
	stop := w.record("one", record.Target{Type: "secrets"})
	w.until("SELECT COUNT(*) FROM coverage", "1")
	back := w.away()
	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "s"}, Data: map[string][]byte{"password": []byte("hunter2")}})
	w.spilled(1)
	files, err := os.ReadDir(w.spill.Dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("got files %v and error %v, want one", files, err)
	}
	text, err := os.ReadFile(w.spill.Dir + "/" + files[0].Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hunter2", "aHVudGVyMg"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the spill contains %s", secret)
		}
	}
	back()
	w.until(presences, "s 0 ")
	stop()
}

// spilled waits until at least this many bytes are on disk.
func (w *world) spilled(least int64) {
	w.t.Helper()
	w.healthy("a spill", func(h record.TargetHealth) bool { return h.Spilled >= least })
}

// seen waits until the recorder has read all events of the server. A server that drops events
// before ends the watch, and the recorder marks a gap.
func (w *world) seen() {
	w.t.Helper()
	last := wire.Version(w.srv.Version())
	w.healthy("the last event", func(h record.TargetHealth) bool { return h.Reflector.Version >= last })
}

// healthy waits until the health of the first target meets a condition.
func (w *world) healthy(what string, met func(record.TargetHealth) bool) {
	w.t.Helper()
	patience.Until(w.t, what, func() string {
		if h := w.recorder.Health().Targets[0]; !met(h) {
			return fmt.Sprintf("%+v", h)
		}
		return ""
	})
}
