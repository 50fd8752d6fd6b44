package clientgo

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vedette-io/vedette/wire"
)

// TestTurns: of the waiting handlers, the one with the oldest event goes first. Handlers at
// the same event go in the order in which they came, and no handler waits forever.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
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
	turns := newTurns()
	turns.try(nil)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if turns.take(ended, &waiter{ready: make(chan struct{}, 1)}) != nil {
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
	if turns.try(nil) == nil || len(turns.waiting) != 0 {
		t.Error("the turn cannot be taken")
	}
}
