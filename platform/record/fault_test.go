package record_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

const (
	presences = "SELECT name, presence, state FROM objects ORDER BY name, id"
	gapRows   = "SELECT recorder, cause, CASE WHEN to_at = 0 THEN 'lasts' WHEN healed_at > 0 THEN 'healed' ELSE 'closed' END FROM gaps ORDER BY id"
)

// TestRights checks that objects become unknown, not deleted, when the rights are missing,
// and that a lasting gap begins. When the rights return, the gap ends, and the recorder
// writes everything that the server still has.
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
		w.until(gapRows, "one denied lasts")
		w.phase("a", "Running")
		if err := w.srv.Delete(pod("b")); err != nil {
			t.Fatal(err)
		}
		denied.Release()
		w.until(presences, "a 0 Running", "b 1 Deleted")
		w.until(gapRows, "one denied healed")
		w.until("SELECT DISTINCT source FROM revisions ORDER BY source", "1", "2")
	})
}

// TestTransientRefusal checks that the first refusals of a starting server do not cost the
// delay of lasting refusals.
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

// TestType checks a type that appears after the start of the recorder, disappears, and
// returns.
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
		// The watch does not see that the type disappears, because the server is down.
		w.srv.Unavailable()
		if err := w.srv.Unregister(jobs.GroupVersionResource()); err != nil {
			t.Fatal(err)
		}
		if err := w.srv.Available(); err != nil {
			t.Fatal(err)
		}
		w.until(presences, "a 0 Queued", "b 2 Running")
		w.until(gapRows, "one absent lasts")
		if err := w.srv.Register(jobs); err != nil {
			t.Fatal(err)
		}
		w.create(one("c"))
		w.until(presences, "a 0 Queued", "b 1 Deleted", "c 0 Running")
		w.until(gapRows, "one absent closed")
	})
}

// TestRebuilt checks that a different cluster at the same address is recorded as a
// different cluster. Objects of the replaced cluster become unknown, not deleted.
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
		w.until(gapRows, "one rebuilt closed")
		stop()
		// The same holds when no recorder runs. A cluster whose coverage is recent may be a
		// different one of the same name.
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
		w.until(gapRows, "one rebuilt closed", "two rebuilt closed")
		patience.True(t, "the recorder counts after the commit", func() bool { return w.recorder.Health().Replaced > 0 })
		stop()
		if n := w.recorder.Health().Replaced; n != 1 {
			t.Errorf("got %d replaced clusters, want 1", n)
		}
	})
}

// TestSelection checks that an object that leaves the selection does not count as deleted,
// in a watch and in a list.
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

// TestSelectionsOfOthers checks that a recorder with selectors leaves other objects
// unchanged.
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

// TestRefused checks that a revision that the database rejects does not block the others,
// and causes a gap.
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
		w.until(gapRows, "one refused closed")
		w.phase("c", "Running")
		w.until(presences, "a 0 Queued", "c 0 Running")
	})
}

// large returns a pod whose body cannot be compressed to less than its size.
func large(name string, bytes int) *corev1.Pod {
	text := make([]byte, bytes/2)
	_, _ = rand.NewChaCha8([32]byte{}).Read(text) // it never fails
	p := pod(name)
	p.Spec.Containers = []corev1.Container{{Name: "main", Env: []corev1.EnvVar{{Name: "DATA", Value: hex.EncodeToString(text)}}}}
	return p
}

// TestRefusedBody checks that a revision whose body the database rejects keeps its state, and that a
// gap names the object.
func TestRefusedBody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		refuse := "ALTER TABLE revisions ADD CONSTRAINT small CHECK (LENGTH(data) < 20000)"
		if strings.HasPrefix(url, "sqlite") {
			refuse = "CREATE TRIGGER small BEFORE INSERT ON revisions WHEN LENGTH(NEW.data) >= 20000 BEGIN SELECT RAISE(ABORT, 'no'); END"
		}
		w.exec(refuse)
		w.create(pod("a"))
		w.create(large("big", 100_000))
		stop := w.record("one")
		defer stop()
		w.until(presences, "a 0 Queued", "big 0 Queued")
		w.until("SELECT cause FROM gaps WHERE detail LIKE 'ml/big, %is stored without its content: %'", "refused")
		w.phase("big", "Running")
		w.until(presences, "a 0 Queued", "big 0 Running")
		w.until("SELECT COUNT(*) FROM revisions WHERE size > 0 AND LENGTH(data) > 0", "1")
	})
}

// TestMaxAllowedPacket checks the same with the limit of a MariaDB server, and that the limit splits
// long statements instead of failing them.
func TestMaxAllowedPacket(t *testing.T) {
	if dbtest.Selected("mariadb") != "mariadb" {
		return
	}
	server := dbtest.StartMariaDB(t, "--max-allowed-packet=1M")
	w := newWorld(t, server.Empty(t))
	if n, setting, err := w.d.ValueLimit(t.Context()); n != 1<<20 || setting != "max_allowed_packet" || err != nil {
		t.Errorf("got a limit of %d by %s, error %v; want 1 MiB by max_allowed_packet", n, setting, err)
	}
	for i := range 400 {
		w.create(large(fmt.Sprint("many-", i), 6000))
	}
	stop := w.record("one")
	defer stop()
	w.until("SELECT COUNT(*) FROM objects", "400")
	if h := w.recorder.Health().Targets[0]; h.Retries > 0 {
		t.Errorf("%d attempts failed", h.Retries)
	}
	w.create(large("big", 4<<20)) // hexadecimal text, which is compressed by half
	w.until("SELECT state FROM objects WHERE name = 'big'", "Queued")
	w.until("SELECT cause FROM gaps WHERE detail LIKE 'ml/big, %is stored without its content: %max_allowed_packet%raise it%'", "refused")
}

// TestOddTexts checks that text is cut at the limit of its column, while the body holds all
// of it.
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

// TestTargetsAreChecked checks that New refuses a target that no server can serve.
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
			t.Errorf("%+v was taken, want an error", target)
		}
	}
}

// TestStartModes checks that a recorder with Start: Wait waits for a cluster that does not
// answer at the start.
func TestStartModes(t *testing.T) {
	w := newWorld(t, dbtest.Empty(t, "sqlite"))
	w.create(pod("a"))
	w.srv.Unavailable()
	if _, err := record.New(w.d, record.Config{Cluster: w.cluster, Targets: []record.Target{{Type: "pods"}}, Start: record.Wait + 1}); err == nil {
		t.Error("New accepted an unknown start mode")
	}
	r, err := record.New(w.d, record.Config{Cluster: w.cluster, Targets: []record.Target{{Type: "pods"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(t.Context()); err == nil {
		t.Error("a recorder with FailFast started without a cluster")
	}
	w.start = record.Wait
	stop := w.record("one")
	defer stop()
	if err := w.srv.Available(); err != nil {
		t.Fatal(err)
	}
	w.until(presences, "a 0 Queued")
}

// TestFullDisk checks that the recorder retries and reports the cause while the database
// cannot grow, and that nothing is lost. The test sets a limit of SQLite that causes the
// error of a full disk.
func TestFullDisk(t *testing.T) {
	w := newWorld(t, dbtest.Empty(t, "sqlite"))
	w.d.SQL().SetMaxOpenConns(1) // the limit belongs to a connection
	w.create(pod("a"))
	stop := w.record("one")
	defer stop()
	want := []string{"a  Queued"}
	w.until(transitions, want...)
	w.rows("PRAGMA max_page_count = 1") // SQLite raises it to the current size
	noise := testinput.Rand(t)
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
	w.healthy("a batch fails", func(h record.TargetHealth) bool {
		return h.Failed != nil && strings.Contains(h.Failed.Error(), "disk is full")
	})
	w.rows("PRAGMA max_page_count = 100000")
	w.until(transitions, want...)
	w.until("SELECT COUNT(*) FROM gaps", "0")
	w.healthy("health follows the commit", func(h record.TargetHealth) bool { return h.Failed == nil && h.Retries > 0 })
}
