package workqueue

import (
	"context"
	"slices"
)

// waiter is a goroutine that waits: a consumer for an item, or a producer for
// room.
type waiter struct {
	wake     chan struct{} // holds one
	signaled bool
}

// waiters are woken one at a time: the next only when the one before has the
// lock and has seen what there is. A burst of items wakes one consumer, who
// wakes another if there is more than he takes. Nothing is handed to a goroutine
// that does not run yet, so none is lost with one that gives up.
type waiters struct {
	parked   []*waiter
	spare    []*waiter
	signaled int // woken, and not back yet
}

func (ws *waiters) park() *waiter {
	var w *waiter
	if n := len(ws.spare); n > 0 {
		w, ws.spare = ws.spare[n-1], ws.spare[:n-1]
	} else {
		w = &waiter{wake: make(chan struct{}, 1)}
	}
	ws.parked = append(ws.parked, w)
	return w
}

// call takes one of those that are parked: the first or the last.
func (ws *waiters) signal(at int) *waiter {
	w := ws.parked[at]
	ws.parked = slices.Delete(ws.parked, at, at+1)
	w.signaled = true
	ws.signaled++
	return w
}

// back ends what park began; woken is what wait returned. One that gave up
// while it was being woken is not used again: the signal may still be on its way.
func (ws *waiters) unpark(w *waiter, woken bool) {
	if !w.signaled {
		at := slices.Index(ws.parked, w)
		ws.parked = slices.Delete(ws.parked, at, at+1)
		ws.spare = append(ws.spare, w)
		return
	}
	ws.signaled--
	if woken {
		w.signaled = false
		ws.spare = append(ws.spare, w)
	}
}

// wait returns when the waiter is woken, or false when the context is done.
func (w *waiter) wait(ctx context.Context) bool {
	select {
	case <-w.wake:
		return true
	case <-ctx.Done():
		return false
	}
}
