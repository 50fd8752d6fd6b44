package clientgo

import (
	"context"
	"slices"
	"sync"

	"github.com/vedette-io/vedette/wire"
)

// turns lets one handler at a time decode its next events. Of the waiting handlers, the one
// with the oldest event goes first. So equally fast handlers stay together, and find the
// objects that one of them has decoded. A handler whose function is running does not delay
// the others.
type turns struct {
	mu      sync.Mutex
	taken   bool
	waiting []*waiter // in the order in which they came
}

// waiter is a handler that waits for its turn.
type waiter struct {
	at     wire.Version  // of its next event
	passed int           // how many others had a turn while it waited
	ready  chan struct{} // has room for one; it is its turn
}

// mostPassed is the maximum number of other handlers that have a turn before a waiting one.
// Without a limit, handlers that read a long first list would delay the others.
const mostPassed = 8

// before reports whether w has its turn before a handler that waited longer.
func (w *waiter) before(other *waiter) bool { return other.passed < mostPassed && w.at < other.at }

// take waits for the turn, which ends with give. It returns false if ctx is done before.
func (t *turns) take(ctx context.Context, w *waiter) bool {
	if t.try(w) {
		return true
	}
	select {
	case <-w.ready:
		return true
	case <-ctx.Done():
		t.leave(w)
		return false
	}
}

// leave ends the waiting of a handler.
func (t *turns) leave(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.waiting, w); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
		w.passed = 0
		return
	}
	<-w.ready // it got the turn in the meantime
	t.next()
}

// try takes the turn if it is free. Otherwise w waits for it.
func (t *turns) try(w *waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.taken {
		t.taken = true
		return true
	}
	t.waiting = append(t.waiting, w)
	return false
}

// give ends a turn.
func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next()
}

// next gives the turn to the handler with the oldest event. The caller has the lock.
func (t *turns) next() {
	if len(t.waiting) == 0 {
		t.taken = false
		return
	}
	first := 0
	for i, w := range t.waiting {
		if w.before(t.waiting[first]) {
			first = i
		}
	}
	w := t.waiting[first]
	t.waiting = slices.Delete(t.waiting, first, first+1)
	for _, other := range t.waiting {
		other.passed++
	}
	w.passed = 0
	w.ready <- struct{}{}
}
