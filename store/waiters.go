package store

import (
	"sync"
	"sync/atomic"
)

// waiters are the pending calls of WaitUntil.
type waiters struct {
	count atomic.Int32
	mu    sync.Mutex
	all   map[*wait]struct{}
}

type wait struct {
	satisfied func(*Snapshot) bool
	done      chan struct{}
}

// wake ends the waits that a snapshot satisfies.
func (w *waiters) wake(now *Snapshot) {
	if w.count.Load() == 0 {
		return
	}
	now.transient.persist() // a function may keep the snapshot
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.all {
		if one.satisfied(now) {
			close(one.done)
			delete(w.all, one)
		}
	}
}
