package clientgo

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/store"
)

// TestDemand: objects are kept decoded only for handlers that read them.
func TestDemand(t *testing.T) {
	reads := cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) {}}
	adds := cache.ResourceEventHandlerFuncs{AddFunc: func(any) {}}
	many := func(h cache.ResourceEventHandler, n int) (all []cache.ResourceEventHandler) {
		for range n {
			all = append(all, h)
		}
		return all
	}
	for _, c := range []struct {
		what     string
		handlers []cache.ResourceEventHandler
		size     int
		packs    bool
		want     bool
	}{
		{"no readers", nil, 100, true, false},
		{"no readers of a body that does not pack", nil, 100, false, true},
		{"names only", []cache.ResourceEventHandler{KeyHandlerFuncs{}, &KeyHandlerFuncs{}}, 100, true, false},
		{"no updates", []cache.ResourceEventHandler{adds, &adds}, 100, true, false},
		{"a tiny body", []cache.ResourceEventHandler{&reads}, tinyBody, true, true},
		{"a body that packs", []cache.ResourceEventHandler{reads}, tinyBody + 1, true, false},
		{"a body that does not pack", []cache.ResourceEventHandler{reads}, 1 << 20, false, true},
		{"many handlers", many(reads, manyHandlers), smallBody, true, true},
		{"fewer handlers", many(reads, manyHandlers-1), smallBody, true, false},
		{"many handlers, a larger body", many(reads, manyHandlers), smallBody + 1, true, false},
	} {
		var d demand
		for _, h := range c.handlers {
			d.count(readsUpdates(h), 1)
		}
		if got := d.keepsObject(store.Candidate{Size: c.size, Packs: c.packs, StoreBytes: smallStore + 1}); got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
		for _, h := range c.handlers {
			d.count(readsUpdates(h), -1)
		}
		if d.keepsObject(store.Candidate{Size: 1, Packs: true, StoreBytes: smallStore + 1}) {
			t.Errorf("%s: objects are kept after the last handler was removed", c.what)
		}
	}
}

// TestDemandOfTinyObjects: an index whose function reads objects counts like a handler, and
// bodies of metadata count as tiny up to another size.
func TestDemandOfTinyObjects(t *testing.T) {
	for _, c := range []struct {
		what              string
		metadata          bool
		handlers, indexes int64
		size              int
		want              bool
	}{
		{"a tiny body, read by an index", false, 0, 1, tinyBody, true},
		{"a larger body, read by an index", false, 0, 1, tinyBody + 1, false},
		{"metadata", true, 1, 0, plainBody, true},
		{"metadata, read by an index", true, 0, 1, plainBody, true},
		{"metadata that nobody reads", true, 0, 0, 100, false},
		{"a large body of metadata", true, 1, 1, plainBody + 1, false},
	} {
		d := demand{metadata: c.metadata}
		d.count(true, c.handlers)
		d.indexes.Store(c.indexes)
		if got := d.keepsObject(store.Candidate{Size: c.size, Packs: true, StoreBytes: smallStore + 1}); got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
	}
}

// TestDebt: each change pays for one decoded object, and each minute for one of each object.
// The debt may be as high as there are objects, and nothing is saved.
func TestDebt(t *testing.T) {
	const n = 10
	now := time.Now()
	d := demand{began: now}
	wantsAll := func() bool { return d.wantsAll(n, now) }
	change := func(times int) (kept bool) {
		for range times {
			kept = d.keepsObject(store.Candidate{Size: 5_000, Packs: true, StoreBytes: smallStore + 1})
		}
		return kept
	}
	decode := func(times int) {
		for range times {
			d.decoded()
		}
	}
	if change(100 * n); wantsAll() {
		t.Error("all are wanted, and nothing was decoded")
	}
	for range 5 {
		if decode(n); wantsAll() {
			t.Error("all are wanted after one decoded object for each change, and for each object")
		}
		change(n)
	}
	for range 5 {
		if decode(n); wantsAll() {
			t.Error("all are wanted, although each was decoded once a minute")
		}
		now = now.Add(time.Minute)
	}
	if wantsAll() {
		t.Error("all are wanted after a minute without a decoded object")
	}
	now = now.Add(time.Minute - 1)
	if decode(n + 1); !wantsAll() || !change(n) || !wantsAll() {
		t.Error("more was decoded than changed, and not all are wanted")
	}
	decode(5 * n)
	d.settle()
	if decode(n); wantsAll() || change(1) {
		t.Error("all are wanted after that was settled")
	}
}

// TestDemandOfSmallStore: a small store keeps the objects that somebody reads, of any size:
// those of handlers and indexes, and the next states of objects that a reader has decoded.
func TestDemandOfSmallStore(t *testing.T) {
	for _, c := range []struct {
		what              string
		handlers, indexes int64
		decoded           bool
		bytes             int64
		want              bool
	}{
		{"no readers", 0, 0, false, 0, false},
		{"a handler", 1, 0, false, smallStore, true},
		{"an index", 0, 1, false, smallStore, true},
		{"an object that was read", 0, 0, true, smallStore, true},
		{"a large store with a handler", 1, 0, false, smallStore + 1, false},
		{"a large store, an object that was read", 0, 0, true, smallStore + 1, false},
	} {
		var d demand
		d.count(true, c.handlers)
		d.indexes.Store(c.indexes)
		if got := d.keepsObject(store.Candidate{Size: 100_000, Packs: true, Decoded: c.decoded, StoreBytes: c.bytes}); got != c.want {
			t.Errorf("%s: got %v, want %v", c.what, got, c.want)
		}
		if d.small() != (c.bytes <= smallStore) {
			t.Errorf("%s: the store is small: %v", c.what, d.small())
		}
	}
}

// TestUpdateOfKeptObjects: an update has both objects, whatever the store keeps of either
// state, and those that it keeps are handed out as they are.
func TestUpdateOfKeptObjects(t *testing.T) {
	for _, keeps := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		s := newSharedStore(t, 0)
		var states [2]store.Entry
		for n := range states {
			s.keeps = keeps[n]
			s.apply(t, delta.Batch{{Kind: delta.Upsert, Record: podRecord(t, sharedPod(0, n))}})
			states[n] = s.get(t, 0)
		}
		old, obj, err := s.shared.update(states[0], states[1])
		if err != nil {
			t.Fatal(err)
		}
		for n, got := range []any{old, obj} {
			pod := got.(*corev1.Pod)
			if want := sharedPod(0, n); pod.Annotations["beat"] != want.Annotations["beat"] || pod.Spec.Containers[3].Env[7] != want.Spec.Containers[3].Env[7] {
				t.Errorf("keeps %v: state %d is %v", keeps, n, pod)
			}
			kept, err := states[n].Object()
			if err != nil || (kept != nil) != keeps[n] || keeps[n] && kept != got {
				t.Errorf("keeps %v: the store has %T for state %d, %v", keeps, kept, n, err)
			}
			private, err := s.shared.private(states[n])
			if err != nil || private == got || private.(*corev1.Pod).ResourceVersion != pod.ResourceVersion {
				t.Errorf("keeps %v: the private object of state %d is %v, %v", keeps, n, private, err)
			}
		}
	}
}

// TestAdvice: informers that decode or hold too much get advice.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{Objects: 10, PerMinute: 80}, ""},
		{Row{Objects: 10, PerMinute: 100}, "Live: each object is decoded 10 times a minute"},
		{Row{Objects: 10, PerMinute: 5, All: true}, "Live: the objects are read so often that they are held decoded"},
		{Row{Objects: 10, PerMinute: 100, Storage: informer.Live}, ""},
		{Row{PerMinute: 1}, ""},
	} {
		c.row.Running = adviceAfter
		if got := c.row.advice(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.row, got, c.want)
		}
		if c.row.Running--; c.row.advice() != "" {
			t.Errorf("%+v: advice too early", c.row)
		}
	}
}
