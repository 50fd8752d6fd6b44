package clientgo

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
)

// TestToldEvents: an event is found by both of its states, and long ones are not kept.
func TestToldEvents(t *testing.T) {
	s := newSharedStore(t, 2)
	old, other := s.get(t, 0), s.get(t, 1)
	s.apply(t, delta.Batch{{Kind: delta.Upsert, Record: podRecord(t, sharedPod(0, 1))}})
	next := s.get(t, 0)
	e := newToldEvents()
	object := new(corev1.Pod)
	update := store.Change{Kind: store.Updated, Old: old, New: next}
	e.keep(&told{change: update, obj: object, ok: true})
	if p, found := e.place(&update); !found || p.obj != object {
		t.Error("the event was not found")
	}
	for _, c := range []store.Change{
		{Kind: store.Updated, Old: other, New: next},
		{Kind: store.Added, New: next},
		{Kind: store.Deleted, Old: next},
	} {
		if _, found := e.place(&c); found {
			t.Errorf("%v was found", c.Kind)
		}
	}
	e.clear()
	if _, found := e.place(&update); found {
		t.Error("the event was found after all were given up")
	}
	long := sharedPod(0, 2)
	long.Annotations["long"] = string(make([]byte, toldBytes))
	s.apply(t, delta.Batch{{Kind: delta.Upsert, Record: podRecord(t, long)}})
	update = store.Change{Kind: store.Updated, Old: next, New: s.get(t, 0)}
	e.keep(&told{change: update, obj: object, ok: true})
	e.keep(&told{change: store.Change{Kind: store.Added, New: other}})
	for i := range e.places {
		if e.places[i].ok {
			t.Error("an event was kept that is long, or has no object")
		}
	}
}

// TestIdle: an event keeps its object for a minute and no longer.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedStore(t, 2)
		gone := new(atomic.Bool)
		func() {
			obj, err := s.shared.entry(s.get(t, 0))
			if err != nil {
				t.Fatal(err)
			}
			runtime.AddCleanup(obj.(*corev1.Pod), func(b *atomic.Bool) { b.Store(true) }, gone)
			before := s.shared.turns.try(nil)
			before.keep(&told{change: store.Change{Kind: store.Added, New: s.get(t, 0)}, obj: obj, ok: true})
			s.shared.turns.give()
		}()
		if runtime.GC(); gone.Load() {
			t.Fatal("the object was given up at once")
		}
		<-time.After(3 * keepFor)
		synctest.Wait()
		collect(t, gone.Load)
		if r := &s.shared.recent; r.count != 0 || r.bytes != 0 || s.shared.sweep != nil {
			t.Errorf("%d objects of %d bytes are held", r.count, r.bytes)
		}
		if _, err := s.shared.entry(s.get(t, 0)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestBound: decoded objects take what packing saves, within bounds. If all are to be held,
// they take no more than in client-go.
func TestBound(t *testing.T) {
	for _, c := range []struct {
		raw, held int64
		want, all int
	}{
		{0, 0, leastRecentBytes, leastRecentBytes},
		{8 << 20, 4 << 20, 4 << 20, 9 << 20},
		{8 << 20, 7 << 20, 1 << 20, 9 << 20},
		{8 << 20, 7<<20 + 1, 1<<20 - 1, 1<<20 - 1},
		{80 << 20, 8 << 20, mostRecentBytes, 90 << 20},
		{64 << 20, 64 << 20, 2 << 20, 2 << 20},
		{32 << 20, 40 << 20, 1 << 20, 1 << 20},
		{1 << 30, 1 << 30, mostRecentBytes, 32 << 20},
	} {
		const n = 2 * mostRecent
		if got := boundOf(n, c.raw, c.held, false); got != (bound{mostRecent, c.want}) {
			t.Errorf("%d bytes held in %d: %v, want %d", c.raw, c.held, got, c.want)
		}
		if got := boundOf(n, c.raw, c.held, true); got != (bound{n + n/8, c.all}) {
			t.Errorf("%d bytes held in %d: %v of all, want %d", c.raw, c.held, got, c.all)
		}
	}
}

// TestTurn: a turn has as many events as fit into an eighth of the recent objects, one at
// least, and of a handler that takes names always the full number.
func TestTurn(t *testing.T) {
	s := newSharedStore(t, 2*turn)
	var events []store.Change
	for e := range s.store.Snapshot().All() {
		events = append(events, store.Change{Kind: store.Added, New: e})
	}
	length := int64(events[0].New.Len())
	r := &receiver{shared: s.shared}
	for bytes, want := range map[int64]int{0: 1, length: 1, 5*length + length/2: 5, 1 << 40: turn} {
		s.shared.turnBytes.Store(bytes)
		if got := r.turn(events); got != want {
			t.Errorf("%d bytes of %d each: %d events, want %d", bytes, length, got, want)
		}
	}
	s.shared.turnBytes.Store(0)
	r.keys = &KeyHandlerFuncs{}
	if got := r.turn(events); got != turn {
		t.Errorf("a handler of names has a turn of %d events", got)
	}
	if got := r.turn(events[:3]); got != 3 {
		t.Errorf("three events have a turn of %d", got)
	}
}
