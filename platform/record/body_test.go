package record_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// TestBodiesAreNear checks that each body is a keyframe, or a difference from a keyframe
// that at most keyframe-1 other bodies refer to. This holds for recurring contents, and
// when the writer must read the keyframe first. All bodies can be read.
func TestBodiesAreNear(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		const revisions, keyframe = 200, 32
		filler := strings.Repeat(`"name-of-a-field":"its value",`, 40)
		want := map[wire.Version]string{}
		var all []record.Observation
		for v := wire.Version(1); v <= revisions; v++ {
			want[v] = fmt.Sprintf(`{"spec":{%s"end":1},"status":{"at":%d}}`, filler, v%3)
			all = append(all, record.Observation{UID: "a", Version: v, State: job.Running, Body: want[v]})
		}
		for some := range slices.Chunk(all, 7) { // each chunk begins with an empty cache
			if _, err := record.Write(t.Context(), w.d, some); err != nil {
				t.Fatal(err)
			}
		}
		w.until("SELECT COUNT(*) FROM revisions r JOIN revisions b ON b.object_id = r.object_id AND b.version = r.keyframe_version WHERE b.keyframe_version <> 0", "0")
		w.until("SELECT COUNT(*) FROM revisions r WHERE r.keyframe_version <> 0 AND r.keyframe_version > r.version", "0")
		w.until("SELECT COUNT(*) FROM revisions WHERE keyframe_version = 0", fmt.Sprint((revisions+keyframe-1)/keyframe))
		w.until("SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM revisions WHERE keyframe_version <> 0 GROUP BY keyframe_version) AS g", fmt.Sprint(keyframe-1))
		w.until("SELECT COUNT(*) FROM revisions WHERE keyframe_version <> 0 AND LENGTH(data) > 40", "0")
		for v, body := range want {
			if got, err := w.body("a", v); err != nil || string(got) != body {
				t.Fatalf("body at %v: got %s and error %v, want %s", v, got, err, body)
			}
		}
	})
}

// TestChain checks that a body that differs from another difference is damaged and
// unreadable.
func TestChain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		filler := strings.Repeat("as all of them, ", 20)
		for v := wire.Version(1); v <= 3; v++ {
			if _, err := record.Write(t.Context(), w.d, []record.Observation{{UID: "a", Version: v, State: job.Running, Body: fmt.Sprint(filler, v)}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := w.d.SQL().ExecContext(t.Context(), "UPDATE revisions SET keyframe_version = 2 WHERE version = 3"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.body("a", 3); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("got error %v, want one with %q", err, "damaged")
		}
	})
}

// TestDictionaries checks that similar bodies of a type are compressed with a dictionary
// that all recorders share, and can be read.
func TestDictionaries(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		body := func(i int) string {
			var b strings.Builder
			for j := range 60 {
				fmt.Fprintf(&b, `"field-%d":"%x",`, j, j*7919)
			}
			return fmt.Sprintf(`{"metadata":{"name":"job-%d"},"spec":{%s"end":%d}}`, i, &b, i*i)
		}
		var all []record.Observation
		for i := range 200 {
			all = append(all, record.Observation{UID: fmt.Sprint("uid-", i), Version: wire.Version(i + 1), State: job.Running, Body: body(i)})
		}
		for some := range slices.Chunk(all, 60) { // a different recorder writes each chunk
			if _, err := record.Write(t.Context(), w.d, some); err != nil {
				t.Fatal(err)
			}
		}
		w.until("SELECT COUNT(*) FROM dictionaries", "1")
		w.until("SELECT COUNT(*) FROM revisions WHERE LENGTH(data) > 200", "0")
		for _, s := range all {
			if got, err := w.body(s.UID, s.Version); err != nil || string(got) != s.Body {
				t.Fatalf("body of %s: got %s and error %v, want %s", s.UID, got, err, s.Body)
			}
		}
	})
}

// TestLockOrder checks that recorders that write the same new objects in opposite orders do
// not deadlock.
func TestLockOrder(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		const objects = 1000
		for round := range wire.Version(4) {
			var all []record.Observation
			for i := range wire.Version(objects) { // half of the objects are new
				all = append(all, record.Observation{UID: fmt.Sprint("uid-", (round*objects/2+i)*7919%100003), Version: round*objects + i + 1, State: job.Running, Body: "{}"})
			}
			opposite := slices.Clone(all)
			slices.Reverse(opposite)
			var work sync.WaitGroup
			for _, batch := range [][]record.Observation{all, opposite} {
				work.Go(func() {
					if _, err := record.Write(t.Context(), w.d, batch); err != nil {
						t.Errorf("round %v: the write failed: %v", round, err)
					}
				})
			}
			work.Wait()
		}
	})
}

// TestBodyOfMissed checks that the last body of an object whose deletion was missed is the
// last observed body.
func TestBodyOfMissed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.create(pod("b"))
		stop := w.record("one")
		w.until(transitions, "b  Queued")
		stop()
		if err := w.srv.Delete(pod("b")); err != nil {
			t.Fatal(err)
		}
		w.srv.Compact() // the server drops the event
		stop = w.record("two")
		w.until(transitions, "b  Queued", "b Queued Deleted")
		stop()
		h := history.New(w.d)
		page, err := h.Objects(t.Context(), history.ObjectName{Type: history.Type{Resource: "pods"}, Namespace: "ml", Name: "b"}, history.Paging{})
		found := page.Items
		if err != nil || len(found) != 1 {
			t.Fatalf("got %+v and error %v, want one object", found, err)
		}
		body, at, err := h.Body(t.Context(), found[0].ID, 0)
		if err != nil || at != found[0].Version || !strings.Contains(string(body), `"name":"b"`) {
			t.Errorf("got body %s at %v and error %v, want b at version %v", body, at, err, found[0].Version)
		}
		w.until("SELECT size FROM revisions WHERE deleted = 1", "0")
	})
}

// TestBodiesAreForgotten checks that the cache of keyframes drops deleted objects, and
// stays within its limit.
func TestBodiesAreForgotten(t *testing.T) {
	d := newWorld(t, dbtest.Empty(t, "sqlite")).d
	p := bodies.NewEncoder(1, 10_000)
	write := func(i int, version wire.Version, s job.State) {
		t.Helper()
		one := record.Observation{UID: fmt.Sprint("uid-", i), Version: version, State: s, Body: fmt.Sprintf(`{"object":%d,"version":%d}`, i, version)}
		if _, err := record.WriteWith(t.Context(), d, p, []record.Observation{one}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 {
		write(i, wire.Version(1+i), job.Running)
	}
	if n, bytes := p.Cached(); n < 20 || n > 60 || bytes > 10_000 {
		t.Errorf("the cache has %d bodies of %d bytes", n, bytes)
	}
	for i := range 100 {
		write(i, wire.Version(200+i), job.Succeeded)
		write(i, wire.Version(400+i), job.Deleted)
	}
	if n, bytes := p.Cached(); n != 0 || bytes != 0 {
		t.Errorf("the cache has %d bodies of %d bytes after the deletions, want 0", n, bytes)
	}
}
