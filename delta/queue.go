package delta

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned by Put on a closed queue, and by Get on a queue that is closed and
// empty.
var ErrClosed = errors.New("delta queue is closed")

// Queue carries deltas in order from the goroutine that reads the server to the
// goroutine that applies them. It neither drops nor merges deltas.
type Queue = QueueOf[Delta]

// NewQueue returns an empty queue.
func NewQueue(limits Limits) *Queue {
	return NewQueueOf(limits, func(d Delta) int { return d.size() })
}

// QueueOf is a Queue whose items carry more than a delta, such as a value that the
// producer computed from it. Use Queue if the delta is enough.
type QueueOf[T any] struct {
	limits Limits
	size   func(T) int

	mu      sync.Mutex
	changed sync.Cond // signals a change of any field below
	pending []T       // items that Get has not taken yet
	bytes   int       // the size of pending
	spare   []T       // the last batch that Get returned, for reuse
	sparse  int       // number of batches in a row that needed little of their memory
	closed  bool
	waiting bool // Get waits
}

// NewQueueOf returns an empty queue. size returns the bytes that an item counts against
// Limits.Bytes; it must not use the queue.
func NewQueueOf[T any](limits Limits, size func(T) int) *QueueOf[T] {
	q := &QueueOf[T]{limits: limits.withDefaults(), size: size}
	q.changed.L = &q.mu
	return q
}

// spareRoom is the part of its memory, 1/spareRoom, that a batch needs at least to show that it is needed. The
// queue gives up the memory of a burst, such as a first list, after as many smaller batches in a row as it has
// room for items. The batches of a list differ, so a few prove nothing.
const spareRoom = 4

// Put appends an item. It waits while the queue is full. Any goroutine may call it.
//
// Errors: ErrClosed; the cause of ctx.
func (q *QueueOf[T]) Put(ctx context.Context, item T) error {
	size := q.size(item)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.waitLocked(ctx, func() bool { return q.closed || q.hasRoomLocked(size) }); err != nil {
		return err
	}
	if q.closed {
		return ErrClosed
	}
	q.pending = append(q.pending, item)
	q.bytes += size
	if len(q.pending) == 1 {
		q.changed.Broadcast()
	}
	return nil
}

// Get waits until the queue has items, and takes all of them. The batch belongs to the
// caller until the next Get, which reuses its memory.
//
// Errors: ErrClosed when the queue is closed and empty; the cause of ctx.
func (q *QueueOf[T]) Get(ctx context.Context) ([]T, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = true
	err := q.waitLocked(ctx, func() bool { return q.closed || len(q.pending) > 0 })
	q.waiting = false
	if err != nil {
		return nil, err
	}
	if len(q.pending) == 0 {
		return nil, ErrClosed
	}
	batch := q.pending
	clear(q.spare) // releases the bodies
	q.pending, q.spare = q.spare[:0], batch
	room := max(cap(q.pending), cap(batch))
	if q.sparse++; spareRoom*len(batch) >= room {
		q.sparse = 0
	}
	if q.sparse > room {
		q.pending, q.spare, q.sparse = nil, nil, 0
	}
	q.bytes = 0
	q.changed.Broadcast()
	return batch, nil
}

// hasRoomLocked reports whether the queue accepts an item of that size. An empty queue
// accepts any item, because an item larger than the limit would wait forever.
func (q *QueueOf[T]) hasRoomLocked(size int) bool {
	n := len(q.pending)
	return n == 0 || n < q.limits.Deltas && q.bytes+size <= q.limits.Bytes
}

// waitLocked waits until ready returns true or ctx is done. A context that is already
// done is an error even if ready returns true, so that a stopped producer stops.
func (q *QueueOf[T]) waitLocked(ctx context.Context, ready func() bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if ready() {
		return nil
	}
	stop := context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.changed.Broadcast()
	})
	defer stop()
	for !ready() {
		q.changed.Wait()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// Close refuses further items. The consumer can still take the items in the queue. Any
// goroutine may call Close, more than once.
func (q *QueueOf[T]) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// Idle reports whether the queue is empty and Get waits, so that the consumer has nothing
// left of the batch before.
func (q *QueueOf[T]) Idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting && len(q.pending) == 0
}

// Len returns the number of queued items and their size in bytes.
func (q *QueueOf[T]) Len() (items, bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.pending), q.bytes
}
