package delta

import (
	"context"
	"errors"
)

// ErrClosed is returned by what puts into a closed queue, and by what takes
// from a closed queue once nothing is left in it.
var ErrClosed = errors.New("delta queue is closed")

// Queue carries deltas in order from the goroutine that reads the server to
// the one that applies them. It loses none and folds none; Coalesced does.
type Queue struct {
	monitor
	pending Batch // what was put; up to head it has been popped
	head    int
	spare   Batch // what the consumer had last, to be used again
	popping bool  // a process function has pending[head]
	ended   bool  // an End was put
}

// NewQueue returns an empty queue.
func NewQueue(limits Limits) *Queue {
	q := &Queue{}
	q.init(limits)
	return q
}

// Put appends a delta. It waits while the queue is full. Any goroutine may
// call it.
//
// Errors: ErrClosed; the cause of ctx.
func (q *Queue) Put(ctx context.Context, d Delta) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.waitLocked(ctx, func() bool { return q.closed || q.roomLocked(d.size()) }); err != nil {
		return err
	}
	if q.closed {
		return ErrClosed
	}
	q.pending = append(q.pending, d)
	q.deltas++
	q.bytes += d.size()
	q.ended = q.ended || d.Kind == End
	if q.deltas == 1 {
		q.changed.Broadcast()
	}
	return nil
}

// Get waits until there is something, and takes all of it. The batch belongs
// to the caller until the next Get, which uses its memory again. What was
// taken does not come back: who may fail uses Pop.
//
// Errors: ErrClosed when the queue is closed and empty; the cause of ctx.
func (q *Queue) Get(ctx context.Context) (Batch, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.waitToTakeLocked(ctx); err != nil {
		return nil, err
	}
	batch := q.pending[q.head:]
	clear(q.spare) // lets go of the bodies
	q.pending, q.spare, q.head = q.spare[:0], q.pending, 0
	q.deltas, q.bytes = 0, 0
	if q.ended {
		q.syncLocked()
	}
	q.changed.Broadcast()
	return batch, nil
}

// Pop waits until there is something, and calls process with the oldest delta,
// on the caller's goroutine and without a lock. The delta leaves the queue when
// process has returned nil. If process returns an error or panics, the delta
// stays where it is, the oldest, and the next Pop or Get has it again.
//
// Meanwhile the delta counts against the limits, and whoever else takes from
// the queue waits: order is kept with any number of consumers. So process must
// not take from this queue, and if it puts into a full one it waits for itself.
//
// Errors: what process returned; ErrClosed when the queue is closed and empty;
// the cause of ctx, which process is to look at itself.
func (q *Queue) Pop(ctx context.Context, process func(Delta) error) error {
	d, err := q.peek(ctx)
	if err != nil {
		return err
	}
	done := false
	defer func() { q.popped(done) }() // also when process panics
	if err := process(d); err != nil {
		return err
	}
	done = true
	return nil
}

// peek waits for the oldest delta, and keeps other consumers away from it.
func (q *Queue) peek(ctx context.Context) (Delta, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.waitToTakeLocked(ctx); err != nil {
		return Delta{}, err
	}
	q.popping = true
	return q.pending[q.head], nil
}

// popped ends what peek began, and removes the delta if it was processed.
func (q *Queue) popped(done bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.popping = false
	q.changed.Broadcast()
	if !done {
		return
	}
	d := &q.pending[q.head]
	if d.Kind == End {
		q.syncLocked()
	}
	q.deltas--
	q.bytes -= d.size()
	*d = Delta{} // lets go of the body
	q.head++
	// Moving the rest down once it is the smaller half costs one move for each
	// delta popped, and keeps the slice within twice the bound.
	if 2*q.head >= len(q.pending) {
		n := copy(q.pending, q.pending[q.head:])
		clear(q.pending[n:])
		q.pending, q.head = q.pending[:n], 0
	}
}

// waitToTakeLocked waits until there is something and nobody else has it.
func (q *Queue) waitToTakeLocked(ctx context.Context) error {
	if err := q.waitLocked(ctx, func() bool { return !q.popping && (q.closed || q.deltas > 0) }); err != nil {
		return err
	}
	if q.deltas == 0 {
		return ErrClosed
	}
	return nil
}

// Close refuses further deltas. What is in the queue can still be taken. It
// may be called more than once, on any goroutine.
func (q *Queue) Close() { q.close() }

// Len returns how many deltas wait, and the bytes of their bodies. One that
// Pop is processing is among them.
func (q *Queue) Len() (deltas, bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.deltas, q.bytes
}

// Synced returns a channel that is closed once the first End and all before it
// have left the queue: taken by Get, or processed by Pop. A queue into which
// nobody puts an End never is. Any goroutine may wait for it.
func (q *Queue) Synced() <-chan struct{} { return q.synced }

// HasSynced tells whether Synced is closed. Any goroutine may ask.
func (q *Queue) HasSynced() bool { return q.hasSynced() }
