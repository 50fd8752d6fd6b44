package record_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record"
)

const (
	presences = "SELECT name, presence, state FROM objects ORDER BY name, id"
	holes     = "SELECT recorder, cause, CASE WHEN to_at = 0 THEN 'lasts' WHEN healed_at > 0 THEN 'healed' ELSE 'closed' END FROM gaps ORDER BY id"
)

// TestWindow: what the server has forgotten is a gap, with its bounds; what is
// different after it is written, and what is gone. A recorder that has seen it heals
// the gap.
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
		w.until(holes, "two window closed")
		w.until("SELECT g.from_version = (SELECT to_version FROM coverage WHERE recorder = 'one'), g.to_version = (SELECT from_version FROM coverage WHERE recorder = 'two') FROM gaps g", yes(url)+" "+yes(url))
		stop()
	})
}

// TestGapHeals: what one recorder has missed and another has seen is no gap for good,
// and the deletion that was seen stands, not the one that was concluded.
func TestGapHeals(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		stopOne := w.record("one")
		defer stopOne()
		w.until(transitions, "a  Queued")
		w.create(pod("z"))
		w.until("SELECT COUNT(*) FROM revisions WHERE source = 1", "1") // it watches
		// Two sees nothing, until the server has forgotten what it has missed.
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
		w.until(holes, "two window healed")
		w.until("SELECT source FROM revisions WHERE deleted = 1", "1")
	})
}

// TestGapIsFilled: a gap that was left open is filled by who comes later and whose
// server still remembers it; where none does, it goes on where all of them are.
func TestGapIsFilled(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		for _, name := range []string{"a", "b", "z"} {
			w.create(pod(name))
		}
		w.turn("one")
		// In the gap an object goes through a state, goes, and comes back as another.
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
		w.forgetful()
		w.turn("one")
		w.until(transitions, "a  Queued", "a Queued Failed", "b  Queued", "b Queued Deleted", "b  Failed", "z  Queued", "z Queued Deleted")
		w.until(holes, "one window closed")
		w.turn("two")
		filled := []string{
			"a  Queued", "a Queued Running", "a Running Failed", "b  Queued", "b Queued Running", "b Running Deleted",
			"b  Queued", "b Queued Failed", "z  Queued", "z Queued Running", "z Running Deleted",
		}
		w.until(transitions, filled...)
		w.until(holes, "one window healed")
		w.phase("a", "Running")
		w.phase("a", "Failed")
		w.srv.Compact()
		w.turn("two")
		w.until(holes, "one window healed", "two window closed")
		w.phase("b", "Running")
		w.turn("three")
		w.until(holes, "one window healed", "two window closed")
		w.until("SELECT COUNT(*) FROM transitions WHERE from_state = 'Failed' AND to_state = 'Running' AND source = 1", "1")
	})
}

// TestGapHealsByParts: a gap that nobody has seen whole, and several have in parts, is none.
func TestGapHealsByParts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		w.turn("one")
		w.phase("a", "Running")
		w.turn("one")
		w.until("SELECT COUNT(*) FROM coverage", "1") // a recorder goes on with its row
		end := w.srv.Version()
		gap := fmt.Sprintf("INSERT INTO gaps (cluster_id, resource_id, namespace, selector_hash, recorder, cause, from_version, to_version, from_at, to_at, detail, healed_at)"+
			" SELECT cluster_id, resource_id, namespace, selector_hash, 'three', 'window', %d, %d, from_at, to_at, '', 0 FROM coverage", end-1, end+1)
		if _, err := w.d.SQL().ExecContext(t.Context(), gap); err != nil {
			t.Fatal(err)
		}
		w.phase("a", "Failed")
		w.turn("two")
		w.until(holes, "three window healed")
	})
}

// forgetful makes the server say once, to a watch that goes on, that it remembers nothing.
func (w *world) forgetful() {
	w.t.Helper()
	match := apitest.Match{Verb: apitest.VerbWatch, Resource: "pods"}
	if _, err := w.srv.Inject(apitest.Fault{Match: match, Times: 1, Action: apitest.Respond(apitest.Failure(410, 0))}); err != nil {
		w.t.Fatal(err)
	}
}

// turn lets a recorder come, catch up with the server, and go.
func (w *world) turn(name string) {
	w.t.Helper()
	stop := w.record(name)
	defer stop()
	w.until("SELECT COUNT(*) FROM coverage WHERE recorder = '"+name+"' AND to_version >= "+fmt.Sprint(w.srv.Version()), "1")
}

// TestRights: what can not be seen for lack of rights is unknown, not deleted, and a
// gap lasts; when the rights are back it ends, and nothing was missed that the server
// still has.
func TestRights(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		w.create(pod("b"))
		stop := w.record("one")
		defer stop()
		w.until(presences, "a 0 Queued", "b 0 Queued")
		denied, err := w.srv.Inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(403, 0))})
		if err != nil {
			t.Fatal(err)
		}
		w.srv.Unavailable() // ends the watch
		if err := w.srv.Available(); err != nil {
			t.Fatal(err)
		}
		w.until(presences, "a 2 Queued", "b 2 Queued")
		w.until(holes, "one denied lasts")
		w.phase("a", "Running")
		if err := w.srv.Delete(pod("b")); err != nil {
			t.Fatal(err)
		}
		denied.Release()
		w.until(presences, "a 0 Running", "b 1 Deleted")
		w.until(holes, "one denied healed")
		w.until("SELECT DISTINCT source FROM revisions ORDER BY source", "1", "2")
	})
}

// TestTransientRefusal: a server that starts refuses for a moment, whatever the recorder
// asks for first. That does not cost the time after which lasting refusals are tried again.
func TestTransientRefusal(t *testing.T) {
	for _, c := range []struct {
		name  string
		match apitest.Match
	}{
		{"identity", apitest.Match{Resource: "namespaces"}},
		{"list", apitest.Match{Resource: "pods"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "sqlite:"+t.TempDir()+"/history.db")
			w.slow, w.start = time.Hour, record.Wait
			w.create(pod("a"))
			if _, err := w.srv.Inject(apitest.Fault{Match: c.match, Times: 3, Action: apitest.Respond(apitest.Failure(403, 0))}); err != nil {
				t.Fatal(err)
			}
			stop := w.record("one")
			defer stop()
			w.until(presences, "a 0 Queued")
		})
	}
}

// TestType: a type may come after the recorder, go, and come back.
func TestType(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		jobs := apitest.Type{Group: "example.com", Version: "v1", Kind: "Training", Namespaced: true}
		one := func(name string) *unstructured.Unstructured {
			return &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1", "kind": "Training", "metadata": map[string]any{"namespace": "ml", "name": name}, "status": map[string]any{"phase": "Running"},
			}}
		}
		stop := w.record("one", record.Target{Type: "trainings.example.com"}, record.Target{Type: "pods"})
		defer stop()
		w.create(pod("a"))
		w.until(presences, "a 0 Queued")
		if err := w.srv.Register(jobs); err != nil {
			t.Fatal(err)
		}
		w.create(one("b"))
		w.until(presences, "a 0 Queued", "b 0 Running")
		// The watch sees nothing of the end of the type: the server is away then.
		w.srv.Unavailable()
		if err := w.srv.Unregister(jobs.GroupVersionResource()); err != nil {
			t.Fatal(err)
		}
		if err := w.srv.Available(); err != nil {
			t.Fatal(err)
		}
		w.until(presences, "a 0 Queued", "b 2 Running")
		w.until(holes, "one absent lasts")
		if err := w.srv.Register(jobs); err != nil {
			t.Fatal(err)
		}
		w.create(one("c"))
		w.until(presences, "a 0 Queued", "b 1 Deleted", "c 0 Running")
		w.until(holes, "one absent closed")
	})
}

// TestRebuilt: another cluster at the same address is another cluster: nothing of the
// old one was deleted, it can not be seen any more.
func TestRebuilt(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("a"))
		stop := w.record("one")
		w.until(presences, "a 0 Queued")
		rebuild := func(name string) {
			w.srv.Unavailable()
			system := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}}
			if err := errors.Join(w.srv.Delete(pod(name)), w.srv.Delete(system)); err != nil {
				t.Fatal(err)
			}
			w.create(system)
		}
		rebuild("a")
		w.create(pod("b"))
		if err := w.srv.Available(); err != nil {
			t.Fatal(err)
		}
		w.until(presences, "a 2 Queued", "b 0 Queued")
		w.until("SELECT COUNT(*) FROM clusters", "2")
		w.until(holes, "one rebuilt closed")
		stop()
		// Nor while no recorder runs; but who has been seen just now may be another of the
		// same name.
		if _, err := w.d.SQL().ExecContext(t.Context(), "UPDATE coverage SET to_at = to_at - 600000000"); err != nil {
			t.Fatal(err)
		}
		rebuild("b")
		if err := w.srv.Available(); err != nil {
			t.Fatal(err)
		}
		stop = w.record("two")
		defer stop()
		w.until(presences, "a 2 Queued", "b 2 Queued")
		w.until(holes, "one rebuilt closed", "two rebuilt closed")
		stop()
		if n := w.recorder.Health().Replaced; n != 1 {
			t.Errorf("another cluster was found %d times", n)
		}
	})
}

// TestSelection: an object that leaves what is selected is not deleted, whether a watch
// or a list shows it.
func TestSelection(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		for _, name := range []string{"a", "b", "c"} {
			w.create(pod(name))
		}
		relabel := func(name, app string) {
			if _, err := apitest.Modify(w.srv, pod(name), func(p *corev1.Pod) { p.Labels["app"] = app }); err != nil {
				t.Fatal(err)
			}
		}
		chosen := record.Target{Type: "pods", LabelSelector: "app=train"}
		stop := w.record("one", chosen)
		w.until(presences, "a 0 Queued", "b 0 Queued", "c 0 Queued")
		relabel("a", "other")
		if err := w.srv.Delete(pod("b")); err != nil {
			t.Fatal(err)
		}
		w.until(presences, "a 3 Queued", "b 1 Deleted", "c 0 Queued")
		stop()
		relabel("c", "other")
		relabel("a", "train")
		w.srv.Compact()
		stop = w.record("one", chosen)
		defer stop()
		w.until(presences, "a 0 Queued", "b 1 Deleted", "c 3 Queued")
	})
}

// TestSelectionsOfOthers: who follows some objects says nothing of the others.
func TestSelectionsOfOthers(t *testing.T) {
	w := newWorld(t, dbtest.Empty(t, "sqlite"))
	w.create(pod("a"))
	other := pod("b")
	other.Labels["app"] = "other"
	w.create(other)
	stop := w.record("one")
	w.until(presences, "a 0 Queued", "b 0 Queued")
	stop()
	stop = w.record("two", record.Target{Type: "pods", LabelSelector: "app=train"})
	w.until("SELECT COUNT(*) FROM coverage", "2")
	stop()
	w.until(presences, "a 0 Queued", "b 0 Queued")
}

// TestRefused: a revision that the database refuses does not hold up the others, and
// is in the ledger.
func TestRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		refuse := "ALTER TABLE objects ADD CONSTRAINT good CHECK (name <> 'bad')"
		if strings.HasPrefix(url, "sqlite") {
			refuse = "CREATE TRIGGER good BEFORE INSERT ON objects WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END"
		}
		if _, err := w.d.SQL().ExecContext(t.Context(), refuse); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "bad", "c"} {
			w.create(pod(name))
		}
		stop := w.record("one")
		defer stop()
		w.until(presences, "a 0 Queued", "c 0 Queued")
		w.until(holes, "one refused closed")
		w.phase("c", "Running")
		w.until(presences, "a 0 Queued", "c 0 Running")
	})
}

// TestOddTexts: what a column does not take is cut there, and kept in the body.
func TestOddTexts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		odd := pod("a")
		odd.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: strings.Repeat("\u00e4", 300), Message: "nul \x00 and " + strings.Repeat("long ", 2000)}
		odd.Annotations = map[string]string{"vedette.io/user": strings.Repeat("u", 1000)}
		w.create(odd)
		stop := w.record("one")
		defer stop()
		w.until(presences, "a 0 Failed")
		w.until("SELECT COUNT(*) FROM gaps", "0")
	})
}

// away makes the database one that takes nothing until back is called.
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

// TestSpill: while the database is away all that comes waits on the disk, and is
// written in order when it is back, also by another process; the server need not
// remember it.
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
		w.srv.Compact() // the server has forgotten all of it
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

// TestSpillIsBounded: beyond its bound nothing is taken off the server, and nothing is
// lost.
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
		t.Errorf("%d bytes are spilled", n)
	}
	back()
	w.until(transitions, want...)
}

// TestSpillHoldsNoSecrets: what is never kept is not spilled either.
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
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(w.spill.Dir + "/" + files[0].Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hunter2", "aHVudGVyMg"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the spill has %s", secret)
		}
	}
	back()
	w.until(presences, "s 0 ")
	stop()
}

// spilled waits until at least so many bytes wait on the disk.
func (w *world) spilled(least int64) {
	w.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for w.recorder.Health().Targets[0].Spilled < least {
		select {
		case <-tick.C:
		case <-deadline:
			w.t.Fatalf("nothing is spilled: %+v", w.recorder.Health().Targets[0])
		}
	}
}

// TestTargetsAreChecked: what no server can serve is an error before anything starts.
func TestTargetsAreChecked(t *testing.T) {
	w := newWorld(t, dbtest.Empty(t, "sqlite"))
	for _, target := range []record.Target{
		{},
		{Type: "pods", Namespace: ".."},
		{Type: "pods", Namespace: "../../v1/namespaces/x"},
		{Type: "pods", LabelSelector: "a in"},
		{Type: "pods", FieldSelector: "a"},
	} {
		if _, err := record.New(w.d, record.Config{Cluster: w.cluster, Targets: []record.Target{target}}); err == nil {
			t.Errorf("%+v was taken", target)
		}
	}
}

// TestPatient: a cluster that does not answer at the start is waited for by who is
// told to.
func TestPatient(t *testing.T) {
	w := newWorld(t, dbtest.Empty(t, "sqlite"))
	w.create(pod("a"))
	w.srv.Unavailable()
	r, err := record.New(w.d, record.Config{Cluster: w.cluster, Targets: []record.Target{{Type: "pods"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(t.Context()); err == nil {
		t.Error("it began without a cluster")
	}
	w.start = record.Wait
	stop := w.record("one")
	defer stop()
	if err := w.srv.Available(); err != nil {
		t.Fatal(err)
	}
	w.until(presences, "a 0 Queued")
}

// TestFullDisk: while the database can not grow it is tried again, the cause is told, and
// nothing is lost. It is SQLite's own bound: what it says is what it says of a disk.
func TestFullDisk(t *testing.T) {
	w := newWorld(t, dbtest.Empty(t, "sqlite"))
	w.d.SQL().SetMaxOpenConns(1) // the bound is that of a connection
	w.create(pod("a"))
	stop := w.record("one")
	defer stop()
	want := []string{"a  Queued"}
	w.until(transitions, want...)
	w.rows("PRAGMA max_page_count = 1") // which is as many as there are
	noise := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		for _, p := range []corev1.PodPhase{"Running", "Pending"} {
			message := make([]byte, 8<<10)
			for i := range message {
				message[i] = byte('a' + noise.IntN(26))
			}
			if _, err := apitest.Modify(w.srv, pod("a"), func(obj *corev1.Pod) { obj.Status.Phase, obj.Status.Message = p, string(message) }); err != nil {
				t.Fatal(err)
			}
		}
		want = append(want, "a Queued Running", "a Running Queued")
	}
	w.fails("disk is full")
	w.rows("PRAGMA max_page_count = 100000")
	w.until(transitions, want...)
	w.until("SELECT COUNT(*) FROM gaps", "0")
	if h := w.recorder.Health().Targets[0]; h.Failed != nil || h.Retries == 0 {
		t.Errorf("%+v", h)
	}
}

// fails waits until the last batch was not written.
func (w *world) fails(why string) {
	w.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(20 * time.Second)
	for {
		h := w.recorder.Health().Targets[0]
		if h.Failed != nil && strings.Contains(h.Failed.Error(), why) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			w.t.Fatalf("want %q: %+v", why, h)
		}
	}
}
