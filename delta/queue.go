package delta

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned by Put on a closed queue, and by Get once a closed
// queue is empty.
var ErrClosed = errors.New("delta queue is closed")

// Defaults of Limits.
const (
	DefaultDeltas = 4096
	DefaultBytes  = 16 << 20
)

// Limits bound a queue. The zero value means the defaults: enough to keep a
// store busy while the next bytes arrive, small against what it holds.
type Limits struct {
	// Deltas is how many deltas may wait; 0 means DefaultDeltas.
	Deltas int
	// Bytes is how many bytes their bodies may have; 0 means DefaultBytes.
	Bytes int
}

// Queue carries deltas in order from the goroutine that reads the server to
// the one that applies them.
type Queue struct {
	limits Limits

	mu      sync.Mutex
	changed sync.Cond // something was put, taken or closed
	pending Batch
	spare   Batch // what the consumer had last, to be used again
	bytes   int
	closed  bool
}

// NewQueue returns an empty queue.
func NewQueue(limits Limits) *Queue {
	if limits.Deltas <= 0 {
		limits.Deltas = DefaultDeltas
	}
	if limits.Bytes <= 0 {
		limits.Bytes = DefaultBytes
	}
	q := &Queue{limits: limits}
	q.changed.L = &q.mu
	return q
}

// Put appends a delta. It waits while the queue is full.
//
// Errors: ErrClosed; the cause of ctx.
func (q *Queue) Put(ctx context.Context, d Delta) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.waitLocked(ctx, func() bool { return q.closed || q.roomLocked(&d) }); err != nil {
		return err
	}
	if q.closed {
		return ErrClosed
	}
	q.pending = append(q.pending, d)
	q.bytes += d.size()
	if len(q.pending) == 1 {
		q.changed.Broadcast()
	}
	return nil
}

func (q *Queue) roomLocked(d *Delta) bool {
	if len(q.pending) == 0 {
		return true
	}
	return len(q.pending) < q.limits.Deltas && q.bytes+d.size() <= q.limits.Bytes
}

// Get waits until there is something, and takes all of it. The batch belongs
// to the caller until the next Get, which uses its memory again.
//
// Errors: ErrClosed when the queue is closed and empty; the cause of ctx.
func (q *Queue) Get(ctx context.Context) (Batch, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.waitLocked(ctx, func() bool { return q.closed || len(q.pending) > 0 }); err != nil {
		return nil, err
	}
	if len(q.pending) == 0 {
		return nil, ErrClosed
	}
	batch := q.pending
	clear(q.spare) // lets go of the bodies
	q.pending, q.spare = q.spare[:0], batch
	q.bytes = 0
	q.changed.Broadcast()
	return batch, nil
}

// waitLocked waits until ready holds or ctx is done. A context that is already
// done is an error even if ready holds, so that a stopped producer stops.
func (q *Queue) waitLocked(ctx context.Context, ready func() bool) error {
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

// Close refuses further deltas. What is in the queue can still be taken. It
// may be called more than once, on any goroutine.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.changed.Broadcast()
}

// Len returns how many deltas wait, and the bytes of their bodies.
func (q *Queue) Len() (deltas, bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.pending), q.bytes
}
