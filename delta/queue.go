package delta

import (
	"context"
	"errors"
)

// ErrClosed is returned by what puts into a closed queue, and by what takes
// from a closed queue once nothing is left in it.
var ErrClosed = errors.New("delta queue is closed")

// Queue carries deltas in order from the goroutine that reads the server to the
// goroutine that applies them. It neither drops nor merges deltas; Coalesced merges
// them.
type Queue = QueueOf[Delta]

// NewQueue returns an empty queue.
func NewQueue(limits Limits) *Queue {
	return NewQueueOf(limits, func(d Delta) (int, bool) { return d.size(), d.Kind == End })
}

// QueueOf is a Queue whose items carry more than a delta, such as a value that the
// producer computed from it. Use Queue if the delta is all there is.
type QueueOf[T any] struct {
	monitor
	weigh   func(T) (bytes int, end bool)
	pending []T // items that were put; those before head were popped
	head    int
	spare   []T  // the last batch that Get returned, for reuse
	popping bool // Pop processes pending[head]
	ended   bool // an End was put
}

// NewQueueOf returns an empty queue. weigh returns what an item counts against
// Limits.Bytes, and whether it completes a list, as a delta of kind End does. It must
// always return the same for the same item, and must not use the queue.
func NewQueueOf[T any](limits Limits, weigh func(T) (bytes int, end bool)) *QueueOf[T] {
	q := &QueueOf[T]{weigh: weigh}
	q.init(limits)
	return q
}

// Put appends an item. It waits while the queue is full. Any goroutine may call it.
//
// Errors: ErrClosed; the cause of ctx.
func (q *QueueOf[T]) Put(ctx context.Context, item T) error {
	size, end := q.weigh(item)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.waitLocked(ctx, func() bool { return q.closed || q.roomLocked(size) }); err != nil {
		return err
	}
	if q.closed {
		return ErrClosed
	}
	q.pending = append(q.pending, item)
	q.deltas++
	q.bytes += size
	q.ended = q.ended || end
	if q.deltas == 1 {
		q.changed.Broadcast()
	}
	return nil
}

// Get waits until the queue has items, and takes all of them. The batch belongs to
// the caller until the next Get, which reuses its memory. The items do not return to
// the queue: a consumer that can fail uses Pop.
//
// Errors: ErrClosed when the queue is closed and empty; the cause of ctx.
func (q *QueueOf[T]) Get(ctx context.Context) ([]T, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.waitToTakeLocked(ctx); err != nil {
		return nil, err
	}
	batch := q.pending[q.head:]
	clear(q.spare) // releases the bodies
	q.pending, q.spare, q.head = q.spare[:0], q.pending, 0
	q.deltas, q.bytes = 0, 0
	if q.ended {
		q.syncLocked()
	}
	q.changed.Broadcast()
	return batch, nil
}

// Pop waits until the queue has items, and calls process with the oldest one, on the
// caller's goroutine and without a lock. The item leaves the queue when process
// returns nil. If process returns an error or panics, the item stays the oldest one,
// and the next Pop or Get returns it again.
//
// While process runs, the item counts against the limits, and other consumers wait, so
// that any number of consumers keep the order. Therefore process must not take from
// this queue, and it must not put into it while the queue is full.
//
// Errors: those of process; ErrClosed when the queue is closed and empty; the cause of
// ctx. process has to watch ctx itself.
func (q *QueueOf[T]) Pop(ctx context.Context, process func(T) error) error {
	item, err := q.peek(ctx)
	if err != nil {
		return err
	}
	done := false
	defer func() { q.popped(done) }() // also when process panics
	if err := process(item); err != nil {
		return err
	}
	done = true
	return nil
}

// peek waits for the oldest item, and makes other consumers wait.
func (q *QueueOf[T]) peek(ctx context.Context) (item T, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.waitToTakeLocked(ctx); err != nil {
		return item, err
	}
	q.popping = true
	return q.pending[q.head], nil
}

// popped ends what peek began, and removes the item if it was processed.
func (q *QueueOf[T]) popped(done bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.popping = false
	q.changed.Broadcast()
	if !done {
		return
	}
	size, end := q.weigh(q.pending[q.head])
	if end {
		q.syncLocked()
	}
	q.deltas--
	q.bytes -= size
	var zero T
	q.pending[q.head] = zero // releases the body
	q.head++
	// The rest moves down when it is the smaller half. This costs one move for each
	// item, and the slice stays within twice the bound.
	if 2*q.head >= len(q.pending) {
		n := copy(q.pending, q.pending[q.head:])
		clear(q.pending[n:])
		q.pending, q.head = q.pending[:n], 0
	}
}

// waitToTakeLocked waits until the queue has items and no Pop is at one.
func (q *QueueOf[T]) waitToTakeLocked(ctx context.Context) error {
	if err := q.waitLocked(ctx, func() bool { return !q.popping && (q.closed || q.deltas > 0) }); err != nil {
		return err
	}
	if q.deltas == 0 {
		return ErrClosed
	}
	return nil
}

// Close refuses further items. Consumers can still take the items that are in the
// queue. Any goroutine may call it, more than once.
func (q *QueueOf[T]) Close() { q.close() }

// Len returns the number of items that wait, including one that Pop processes, and
// their bytes.
func (q *QueueOf[T]) Len() (deltas, bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.deltas, q.bytes
}

// Synced returns a channel that is closed when the first End and all items before it
// have left the queue: taken by Get, or processed by Pop. Any goroutine may wait for it.
func (q *QueueOf[T]) Synced() <-chan struct{} { return q.synced }

// HasSynced reports whether Synced is closed. Any goroutine may call it.
func (q *QueueOf[T]) HasSynced() bool { return q.hasSynced() }
