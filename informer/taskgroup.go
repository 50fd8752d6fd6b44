package informer

import (
	"context"
	"sync"
)

// taskGroup is a group of goroutines that end together. The zero value is closed: it starts
// no goroutine before open was called.
type taskGroup struct {
	mu   sync.Mutex
	ctx  context.Context // nil while closed
	work sync.WaitGroup
}

func (n *taskGroup) open(ctx context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ctx = ctx
}

// start starts a goroutine, and reports whether it did. It does not before open and after
// join.
func (n *taskGroup) start(f func(context.Context)) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ctx == nil {
		return false
	}
	ctx := n.ctx
	n.work.Go(func() { f(ctx) })
	return true
}

// join closes the group and waits for its goroutines. The caller must have ended their
// context.
func (n *taskGroup) join() {
	n.mu.Lock()
	n.ctx = nil
	n.mu.Unlock()
	n.work.Wait()
}
