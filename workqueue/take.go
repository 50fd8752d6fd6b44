package workqueue

import (
	"context"
	"time"
)

// Get waits for an item and takes it; the caller calls Done for it. A context
// that is done gets none, and takes none from others.
//
// Errors: ErrClosed when the queue was closed, and nothing that is handled can
// come back; the cause of ctx.
func (q *Queue[T]) Get(ctx context.Context) (Work[T], error) {
	var one [1]Work[T]
	_, err := q.GetBatch(ctx, one[:])
	return one[0], err
}

// GetSome waits for an item, and takes as many as there are and as the slice
// has room for; it returns how many. It is for a worker that deals with several
// at once, in one transaction for instance: all of them are his, and no other
// worker gets them while he deals with the first.
//
// Errors: those of Get.
func (q *Queue[T]) GetBatch(ctx context.Context, into []Work[T]) (int, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	q.lock()
	defer q.unlock()
	for !q.closed && len(into) > 0 {
		taken := 0
		for taken < len(into) {
			n := q.next()
			if n == nil {
				break
			}
			into[taken] = q.take(n)
			taken++
		}
		if taken > 0 {
			return taken, nil
		}
		w := q.workers.park()
		q.unlock()
		woken := w.wait(ctx)
		q.lock()
		q.workers.unpark(w, woken)
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
	}
	if len(into) == 0 {
		return 0, nil
	}
	return 0, ErrClosed
}

// TryGet is Get without waiting: false if no item waits that may be handed out.
// It works on a closed queue as well.
func (q *Queue[T]) TryGet() (Work[T], bool) {
	q.lock()
	defer q.unlock()
	if q.closed {
		return Work[T]{}, false
	}
	n := q.next()
	if n == nil {
		return Work[T]{}, false
	}
	return q.take(n), true
}

// take hands out the node that next returned.
func (q *Queue[T]) take(n *node[T]) Work[T] {
	c := n.level.first
	q.dequeue(n)
	if c != nil && c.line.first != nil { // the next group's turn
		c.leave()
		c.enter()
	}
	n.level.waiting--
	q.takeBack(n)
	q.handling.add(n)
	n.pending, n.handled, n.keepsPlace = nothing, true, false
	if q.cfg.Observer != nil {
		q.cfg.Observer.Taken(n.item, time.Duration(q.now-n.start))
	}
	n.taken, n.start = n.priority, q.now
	waited := q.started(n.ready, q.now)
	return Work[T]{Item: n.item, Priority: n.taken, Retries: int(n.retries), Waited: waited}
}
