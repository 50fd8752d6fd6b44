package workqueue

import (
	"context"
	"slices"
)

// waiter is a goroutine that waits: a consumer for an item, or a producer for room.
type waiter struct {
	wake     chan struct{} // has a buffer of one
	signaled bool
}

// waiters are woken one at a time: the next one only after the previous one has the lock
// and has seen the state of the queue. A burst of items wakes one consumer, which wakes
// another if items are left. No item is assigned to a goroutine before it runs, so no item
// is lost if that goroutine gives up.
type waiters struct {
	parked   []*waiter
	spare    []*waiter
	signaled int // signaled, and not yet in unpark
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

// signal removes a waiter from the parked ones and marks it as signaled.
func (ws *waiters) signal(at int) *waiter {
	w := ws.parked[at]
	ws.parked = slices.Delete(ws.parked, at, at+1)
	w.signaled = true
	ws.signaled++
	return w
}

// unpark ends a park; woken is the result of wait. A waiter that gave up while it was being
// signaled is not reused, because the signal may still arrive.
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
