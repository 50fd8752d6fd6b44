package clientgo

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// TestTurns: of the waiting handlers, the one with the oldest event goes first. Handlers at
// the same event go in the order in which they came, and no handler waits forever.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := new(turns)
		turns.take(t.Context(), &waiter{})
		var order []wire.Version
		var wg sync.WaitGroup
		wait := func(at wire.Version) {
			wg.Go(func() {
				turns.take(t.Context(), &waiter{at: at, ready: make(chan struct{}, 1)})
				order = append(order, at)
				turns.give()
			})
			synctest.Wait()
		}
		for _, at := range []wire.Version{30, 10, 20, 10, 40} {
			wait(at)
		}
		turns.give()
		wg.Wait()
		if want := []wire.Version{10, 10, 20, 30, 40}; !slices.Equal(order, want) {
			t.Errorf("turns at %v, want %v", order, want)
		}

		turns.take(t.Context(), &waiter{})
		order = nil
		wait(100)
		for at := range wire.Version(2 * mostPassed) {
			wait(at)
		}
		turns.give()
		wg.Wait()
		if order[mostPassed] != 100 {
			t.Errorf("turns at %v: the first was passed by more than %d", order, mostPassed)
		}
	})
}

// TestTurnsEnd: a handler that ends while it waits, or when it got the turn, leaves
// the turn to the others.
func TestTurnsEnd(t *testing.T) {
	turns := new(turns)
	turns.try(&waiter{})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if turns.take(ended, &waiter{ready: make(chan struct{}, 1)}) {
		t.Error("a handler that ended got the turn of another one")
	}
	late, other := &waiter{ready: make(chan struct{}, 1)}, &waiter{ready: make(chan struct{}, 1)}
	turns.try(late)
	turns.try(other)
	turns.give() // to late
	turns.leave(late)
	select {
	case <-other.ready:
		turns.give()
	default:
		t.Error("no handler has the turn")
	}
	if !turns.try(&waiter{}) || len(turns.waiting) != 0 {
		t.Error("the turn cannot be taken")
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
