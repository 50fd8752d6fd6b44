package workqueue

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Close makes the queue take no items that it does not hold. What waits is
// handed out, also what is added again while it is handled. What is delayed stays
// so, and is for Drain to return. Close does not wait, and may be called more
// than once.
func (q *Queue[T]) Close() {
	q.inbox.close() // before the lock is taken, which files what was left
	q.lock()
	defer q.unlock()
	q.closing = true
	if q.delays.timer != nil {
		q.delays.timer.Stop()
	}
	for len(q.producers.parked) > 0 {
		q.producers.signal(0).wake <- struct{}{}
	}
}

// Drain closes the queue and waits until all that waited is done. It returns
// what was not handed out, in the order in which it is to be added again: what is
// delayed, and behind a retry that is delayed the rest of its lane. If the
// context ends before, the queue hands out no more, and Drain returns all that
// was still to be done, but not what is handled. Each item is returned once.
//
// Errors: the cause of ctx.
func (q *Queue[T]) Drain(ctx context.Context) ([]Leftover[T], error) {
	q.Close()
	var err error
	select {
	case <-q.end:
	default:
		select {
		case <-q.end:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	q.lock()
	defer q.unlock()
	q.closeLocked()
	return q.takeLeftovers(), err
}

// tryClose ends a closing queue that has nothing to hand out, and will not have.
func (q *Queue[T]) tryClose() {
	if !q.closed && q.handled == 0 && q.next() == nil {
		q.closeLocked()
	}
}

func (q *Queue[T]) closeLocked() {
	if q.closed {
		return
	}
	q.closed = true
	close(q.end)
	for len(q.workers.parked) > 0 {
		q.workers.signal(0).wake <- struct{}{}
	}
}

// leave takes out everything that is asked of the queue still.
func (q *Queue[T]) takeLeftovers() []Leftover[T] {
	var again, behind, timed []*node[T]
	for _, n := range q.handling.nodes {
		switch {
		case n == nil:
		case n.keepsPlace:
			again = append(again, n)
		case n.pending == due:
			behind = append(behind, n)
		}
	}
	for _, d := range q.delays.heap {
		switch {
		case !d.n.keepsPlace:
			timed = append(timed, d.n)
		case !d.n.handled:
			again = append(again, d.n)
		}
	}
	byTime := func(a, b *node[T]) int { return cmp.Or(cmp.Compare(a.ready, b.ready), cmp.Compare(a.seq, b.seq)) }
	slices.SortFunc(again, byTime)
	slices.SortFunc(timed, byTime)
	slices.SortFunc(behind, byTime)
	nodes := slices.Concat(again, q.ready(), behind, timed)

	for _, l := range q.serials {
		if l.last = l.first; l.first != nil {
			l.first.membership.next = nil
			if !l.first.handled {
				l.first, l.last = nil, nil
			}
		}
	}
	left := make([]Leftover[T], len(nodes))
	for i, n := range nodes {
		left[i] = Leftover[T]{Item: n.item, Priority: n.priority, Retries: int(n.retries)}
		if n.pending == delayed {
			left[i].Due = q.start.Add(time.Duration(n.ready))
		}
		q.abandon(n)
	}
	q.delays.heap = nil
	return left
}

// abandon forgets what is asked of a node.
func (q *Queue[T]) abandon(n *node[T]) {
	if n.pending == due && !n.handled {
		q.dequeue(n)
		n.level.waiting--
		q.takeBack(n)
	}
	n.pending, n.keepsPlace = nothing, false
	if !n.handled {
		q.release(n)
	}
}
