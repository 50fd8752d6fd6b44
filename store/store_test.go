package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// next returns the changes of one Next in a short form.
func next(t *testing.T, sub *store.Subscription) []string {
	t.Helper()
	changes, err := sub.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var short []string
	for _, c := range changes {
		text := fmt.Sprintf("%v %v", c.Kind, c.Last().Key())
		if !c.Old.IsZero() {
			text += " " + c.Old.Version().String()
		}
		if !c.New.IsZero() {
			text += "->" + c.New.Version().String()
		}
		if c.Missed() {
			text += " missed"
		}
		if c.Cause == store.Initial {
			text += " initial"
		}
		short = append(short, text)
	}
	return short
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReplace(t *testing.T) {
	s := store.New(store.Config{})
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	apply(t, s, begin, upsert("ax", "1", 5), upsert("ay", "2", 3), upsert("bz", "3", 4))
	if n := s.Snapshot().Len(); n != 0 {
		t.Fatalf("got %d objects before the end of the list", n)
	}
	apply(t, s, end(10))
	want(t, next(t, sub), "Added a/x->5 initial", "Added a/y->3 initial", "Added b/z->4 initial")

	// One object is deleted, one is new, one has changed, one has not.
	apply(t, s, begin, upsert("aw", "4", 12), upsert("ax", "1", 5), upsert("bz", "3", 11), end(15))
	want(t, next(t, sub), "Deleted a/y 3 missed", "Added a/w->12", "Updated b/z 4->11")
	if got := s.Stats().Unchanged; got != 1 {
		t.Errorf("got %d unchanged, want 1", got)
	}

	// Without differences there are no changes, but the version advances.
	apply(t, s, begin, upsert("aw", "4", 12), upsert("ax", "1", 5), upsert("bz", "3", 11), end(20))
	if p := sub.Pending(); p != 3 {
		t.Errorf("got %d pending, want the 3 that were not acknowledged", p)
	}
	if v := s.Snapshot().Version(); v != 20 {
		t.Errorf("got version %v", v)
	}

	// A list of a cluster that was restored from a backup is older, and replaces the
	// state.
	apply(t, s, begin, upsert("ax", "1", 2), end(3))
	want(t, next(t, sub), "Deleted a/w 12 missed", "Deleted b/z 11 missed", "Updated a/x 5->2")
	if v := s.Snapshot().Version(); v != 3 {
		t.Errorf("got version %v", v)
	}
}

func TestEventsWithinAList(t *testing.T) {
	s := store.New(store.Config{})
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	apply(t, s, begin, upsert("ax", "1", 5), upsert("ay", "2", 3), upsert("ax", "1", 7), remove("ay", "2", 8),
		upsert("ax", "1", 6), // an old one
		end(9), upsert("az", "3", 10))
	want(t, next(t, sub), "Added a/x->7 initial")
	want(t, next(t, sub), "Added a/z->10")
}

func TestObjectsOfOneName(t *testing.T) {
	s := store.New(store.Config{})
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	apply(t, s, begin, upsert("ax", "1", 5), upsert("ay", "1", 5), upsert("az", "1", 5), end(6))
	next(t, sub)
	// The deletion of the previous object is observed, is not observed, or arrives after
	// the new object.
	apply(t, s, remove("ax", "1", 7), upsert("ax", "2", 8), upsert("ay", "2", 9), remove("ay", "1", 7))
	want(t, next(t, sub), "Deleted a/x 5->7", "Added a/x->8", "Deleted a/y 5 missed", "Added a/y->9")
	// In a list.
	apply(t, s, begin, upsert("ax", "2", 8), upsert("ay", "2", 9), upsert("az", "2", 10), end(11))
	want(t, next(t, sub), "Deleted a/z 5 missed", "Added a/z->10")
	// An old event does not restore a deleted object.
	apply(t, s, remove("az", "2", 12), upsert("az", "2", 10))
	want(t, next(t, sub), "Deleted a/z 10->12")
	// The deletion of an object of the same name that was never observed.
	apply(t, s, remove("ax", "3", 13))
	want(t, next(t, sub), "Deleted a/x 8 missed")
}

func TestStaleEventsAreDropped(t *testing.T) {
	s := store.New(store.Config{})
	apply(t, s, begin, upsert("ax", "1", 5), end(6))
	apply(t, s, upsert("ax", "1", 5), upsert("ax", "1", 4), remove("ax", "1", 3), remove("an", "9", 7))
	if rec, ok := s.Snapshot().Get(wire.Key{Namespace: "a", Name: "x"}); !ok || rec.Version() != 5 {
		t.Errorf("got %v, %v", rec, ok)
	}
	if got := s.Stats(); got.Stale != 3 || got.Unchanged != 1 {
		t.Errorf("got %d stale and %d unchanged, want 3 and 1", got.Stale, got.Unchanged)
	}
}

func TestSynced(t *testing.T) {
	s := store.New(store.Config{})
	closed := func() bool {
		select {
		case <-s.Synced():
			return true
		default:
			return false
		}
	}
	apply(t, s, begin, upsert("ax", "1", 5))
	if closed() || s.Snapshot().Synced() {
		t.Error("synced before the end of the list")
	}
	apply(t, s, begin, end(5)) // an empty list counts
	if !closed() || !s.Snapshot().Synced() {
		t.Error("not synced")
	}
	apply(t, s, begin, end(7)) // a second list changes nothing
	apply(t, s, end(8))        // nor does an End without a Begin
}

func TestLateSubscriber(t *testing.T) {
	s := store.New(store.Config{})
	apply(t, s, begin, upsert("ax", "1", 5), end(6))
	apply(t, s, upsert("ax", "1", 7))
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	if rec, ok := sub.Snapshot().Get(wire.Key{Namespace: "a", Name: "x"}); !ok || rec.Version() != 7 {
		t.Errorf("got %v, %v in the first snapshot", rec, ok)
	}
	apply(t, s, upsert("ax", "1", 8))
	want(t, next(t, sub), "Updated a/x 7->8")
}

func TestChangesComeAfterTheStore(t *testing.T) {
	s := store.New(store.Config{})
	var work sync.WaitGroup
	sub := s.Subscribe(store.EveryChange)
	work.Go(func() {
		defer sub.Close()
		for seen := 0; seen < 1000; {
			changes, err := sub.Next(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			for _, c := range changes {
				seen++
				if rec, ok := s.Snapshot().Get(c.New.Key()); !ok || rec.Version() < c.New.Version() {
					t.Errorf("got a change to version %v while the store shows %v", c.New.Version(), rec.Version())
				}
			}
		}
	})
	for v := range 1000 {
		apply(t, s, upsert("ax", "1", v+1))
	}
	work.Wait()
}

func TestSlowSubscriberHoldsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := store.New(store.Config{Backlog: 10})
		slow, fast := s.Subscribe(store.Lossless), s.Subscribe(store.Lossless)
		applied, taken := 0, 0
		var work sync.WaitGroup
		work.Go(func() {
			for v := range 100 {
				apply(t, s, upsert("ax", "1", v+1))
				applied++
			}
		})
		work.Go(func() {
			defer fast.Close()
			for taken < 100 {
				changes, err := fast.Next(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				taken += len(changes)
			}
		})
		synctest.Wait()
		if applied != 10 || taken != 10 || slow.Pending() != 10 {
			t.Errorf("got %d applied, %d taken by the fast subscriber, %d pending; want 10 each", applied, taken, slow.Pending())
		}
		if v := s.Snapshot().Version(); v != 10 {
			t.Errorf("got version %v", v)
		}
		slow.Close() // a subscriber that stops reading must close its subscription
		work.Wait()
		if applied != 100 || taken != 100 {
			t.Errorf("got %d applied, %d taken", applied, taken)
		}
		if _, err := slow.Next(t.Context()); !errors.Is(err, store.ErrClosed) {
			t.Errorf("Next after Close: got %v", err)
		}
	})
}

func TestApplyEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		s := store.New(store.Config{Backlog: 1})
		sub := s.Subscribe(store.Lossless)
		defer sub.Close()
		apply(t, s, upsert("ax", "1", 1))
		ctx, cancel := context.WithCancelCause(t.Context())
		var work sync.WaitGroup
		work.Go(func() {
			if err := s.Apply(ctx, delta.Batch{upsert("ax", "1", 2)}); !errors.Is(err, cause) {
				t.Errorf("Apply: got %v", err)
			}
		})
		synctest.Wait()
		cancel(cause)
		work.Wait()
	})
}

// TestSnapshotsDoNotChange reads one snapshot repeatedly while the store is written, for
// the race detector.
func TestSnapshotsDoNotChange(t *testing.T) {
	s := store.New(store.Config{})
	batch := []delta.Delta{begin}
	for i := range 500 {
		batch = append(batch, upsert(fmt.Sprintf("a%03d", i), "1", i+1))
	}
	apply(t, s, append(batch, end(500))...)
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for ctx.Err() == nil {
				snap := s.Snapshot()
				n, first := 0, snap.Version()
				for rec := range snap.All() {
					n++
					if rec.Version() > first {
						t.Errorf("got version %[2]v from a snapshot of %[1]v", first, rec.Version())
					}
				}
				if n != snap.Len() || n != 500 {
					t.Errorf("got %d objects, Len %d", n, snap.Len())
				}
			}
		})
	}
	for v := range 3000 {
		apply(t, s, upsert(fmt.Sprintf("a%03d", v%500), "1", 1000+v))
	}
	cancel()
	work.Wait()
}

// TestListsOfTheSameShareMemory checks that a list of unchanged objects allocates memory
// for the list, but not for the objects.
func TestListsOfTheSameShareMemory(t *testing.T) {
	const n, size = 1000, 4096
	list := func() []delta.Delta {
		batch := []delta.Delta{begin}
		for i := range n {
			d := upsert(fmt.Sprintf("a%04d", i), "1", i+1)
			d.Record.Body = make([]byte, size)
			batch = append(batch, d)
		}
		return append(batch, end(n))
	}
	s := store.New(store.Config{})
	apply(t, s, list()...)
	before, _ := s.Snapshot().Get(wire.Key{Namespace: "a", Name: "0007"})
	apply(t, s, list()...)
	after, _ := s.Snapshot().Get(wire.Key{Namespace: "a", Name: "0007"})
	if before != after {
		t.Error("the body was copied again")
	}
}

// TestGroupLosesNoSnapshot checks that a view includes two stores that publish at the
// same moment.
func TestGroupLosesNoSnapshot(t *testing.T) {
	group := new(store.Group)
	stores := []*store.Store{store.New(store.Config{Group: group}), store.New(store.Config{Group: group})}
	for round := range 3000 {
		var work sync.WaitGroup
		start := make(chan struct{})
		for _, s := range stores {
			work.Go(func() {
				<-start
				apply(t, s, upsert("ax", "1", round+1))
			})
		}
		close(start)
		work.Wait()
		view := group.View()
		for i, s := range stores {
			if now := s.In(view).Version(); now != wire.Version(round+1) {
				t.Fatalf("store %d has published %d, but the view has %v", i, round+1, now)
			}
		}
	}
}

// TestViewsOfAGroup checks that views of stores that are written concurrently include the
// latest state of each, and that no store goes back.
func TestViewsOfAGroup(t *testing.T) {
	group := new(store.Group)
	var stores []*store.Store
	var work sync.WaitGroup
	const writes = 2000
	for range 4 {
		s := store.New(store.Config{Group: group})
		stores = append(stores, s)
		work.Go(func() {
			for v := range writes {
				apply(t, s, upsert("ax", "1", v+1))
			}
		})
	}
	last := make([]wire.Version, len(stores))
	for done := 0; done < len(stores); {
		done = 0
		view := group.View()
		for i, s := range stores {
			now := s.In(view).Version()
			if now < last[i] {
				t.Fatalf("store %d went back from %v to %v", i, last[i], now)
			}
			if last[i] = now; now == s.Snapshot().Version() && now == writes {
				done++
			}
		}
	}
	work.Wait()
}
