package workqueue

import (
	"context"
	"time"
)

// Get waits for an item and takes it. The caller must call Done for it. If ctx is done, Get
// takes no item.
//
// Errors: ErrClosed if the queue is closed and no handled item can become ready again; the
// cause of ctx.
func (q *Queue[T]) Get(ctx context.Context) (Work[T], error) {
	var one [1]Work[T]
	_, err := q.GetBatch(ctx, one[:])
	return one[0], err
}

// GetBatch waits until at least one item is ready, and takes as many ready items as the
// slice has room for. It returns their number. It is for workers that handle several items
// at once, for instance in one transaction. All of these items belong to the caller until
// Done.
//
// Errors: those of Get.
func (q *Queue[T]) GetBatch(ctx context.Context, into []Work[T]) (int, error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if len(into) == 0 {
		return 0, nil
	}
	q.lock()
	defer q.unlock()
	n, err := q.await(ctx)
	taken := 0
	for n != nil {
		into[taken] = q.take(n)
		if taken++; taken == len(into) {
			break
		}
		n = q.next()
	}
	return taken, err
}

// await waits until an item can be handed out, and returns its node. It releases the lock
// while it waits.
func (q *Queue[T]) await(ctx context.Context) (*node[T], error) {
	for !q.closed {
		if n := q.next(); n != nil {
			return n, nil
		}
		w := q.workers.park()
		q.unlock()
		woken := w.wait(ctx)
		q.lock()
		q.workers.unpark(w, woken)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return nil, ErrClosed
}

// TryGet is Get without waiting: it returns false if no item can be handed out. It also
// works on a closed queue.
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
