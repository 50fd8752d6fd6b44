package queue

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/workqueue"
)

// patience is how long a drain waits for a worker to take a waiting item.
const patience = time.Second

// Config configures a queue.
type Config[T comparable] struct {
	// Metrics receives the events of items; nil means none. The queue owns it.
	Metrics *Metrics[T]
	// Plain means that items have no delay and no priority. Without metrics such a
	// queue needs no clock.
	Plain bool
	// Abandon means that no item is handed out after ShutDown.
	Abandon bool
}

// Queue is a workqueue.Queue that ends as client-go's do.
type Queue[T comparable] struct {
	items   *workqueue.Queue[T]
	metrics *Metrics[T]
	guard   Guard[T]
	abandon bool

	shut    atomic.Bool     // from the first call that shuts down
	stopped context.Context // done from then on
	stop    context.CancelFunc

	mu    sync.Mutex
	drops atomic.Bool   // hands out no more items
	force chan struct{} // closed by ShutDown: drains end
	moved chan struct{} // closed and replaced when an item is taken or done
}

// New returns an empty queue.
func New[T comparable](cfg Config[T]) *Queue[T] {
	q := &Queue[T]{
		metrics: cfg.Metrics, guard: NewGuard[T](), abandon: cfg.Abandon,
		force: make(chan struct{}), moved: make(chan struct{}),
	}
	var inner workqueue.Config[T]
	switch m := cfg.Metrics; {
	case m != nil:
		inner.Observer = m
		inner.Clock = m.since()
	case cfg.Plain:
		inner.Clock = func() time.Duration { return 0 }
	}
	q.items = workqueue.New(inner)
	if cfg.Metrics != nil {
		cfg.Metrics.follow(q.items.Stats)
	}
	q.stopped, q.stop = context.WithCancel(context.Background())
	return q
}

// Add adds an item, unless the queue is shut down.
func (q *Queue[T]) Add(item T, o workqueue.Options) {
	if q.shut.Load() || !q.guard.Admit(item) {
		return
	}
	_ = q.items.AddWith(context.Background(), item, o) // ErrClosed: it was shut down in the meantime
}

// Len returns how many items wait.
func (q *Queue[T]) Len() int { return q.items.Len() }

// Get waits for an item; false when the queue is shut down and nothing waits.
func (q *Queue[T]) Get() (workqueue.Work[T], bool) {
	w, err := q.items.Get(q.stopped)
	if err == nil {
		return w, true
	}
	if q.drops.Load() {
		return workqueue.Work[T]{}, false
	}
	w, ok := q.items.TryGet()
	q.move()
	return w, ok
}

// Done ends what Get began. For an item that is not handled it does nothing.
func (q *Queue[T]) Done(item T) {
	if !q.guard.Comparable(item) {
		return
	}
	_ = q.items.Done(item) // ErrNotHandled: client-go has no error for it
	if q.shut.Load() {
		q.move()
	}
}

// ShuttingDown reports whether the queue rejects further items.
func (q *Queue[T]) ShuttingDown() bool { return q.shut.Load() }

// ShutDown ends the queue, and drains that wait.
func (q *Queue[T]) ShutDown() {
	q.mu.Lock()
	select {
	case <-q.force:
	default:
		close(q.force)
	}
	q.mu.Unlock()
	q.drops.Store(q.abandon)
	q.end()
}

// ShutDownWithDrain ends the queue, and waits until the waiting items are done.
func (q *Queue[T]) ShutDownWithDrain() {
	q.end()
	for {
		q.mu.Lock()
		moved := q.moved
		q.mu.Unlock()
		s := q.items.Stats()
		if s.Handled == 0 && s.Waiting == 0 || q.await(moved, s.Handled == 0) {
			return
		}
	}
}

// await waits for a change, and reports whether to give up.
func (q *Queue[T]) await(moved chan struct{}, idle bool) bool {
	var late <-chan time.Time
	if idle {
		t := time.NewTimer(patience)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-q.force:
		return true
	case <-late:
		return true
	case <-moved:
		return false
	}
}

func (q *Queue[T]) end() {
	q.shut.Store(true)
	q.stop()
	q.items.Close()
	if q.metrics != nil {
		q.metrics.Stop()
	}
}

// move wakes the drains.
func (q *Queue[T]) move() {
	q.mu.Lock()
	defer q.mu.Unlock()
	close(q.moved)
	q.moved = make(chan struct{})
}
