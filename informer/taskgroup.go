package informer

import (
	"context"
	"sync"
)

// taskGroup holds goroutines that end together. The zero value is closed: it takes
// some once open was called.
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

// start starts a goroutine, and reports whether it did: not before open, and not
// after join.
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

// join takes no more goroutines, and waits for those there are. Somebody else
// has to end their context.
func (n *taskGroup) join() {
	n.mu.Lock()
	n.ctx = nil
	n.mu.Unlock()
	n.work.Wait()
}
