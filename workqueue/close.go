package workqueue

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Close makes the queue reject items that it does not hold. Ready items are still handed
// out, also those that are added again while they are handled. Delayed items stay delayed,
// and Drain returns them. Close does not wait. It may be called more than once.
func (q *Queue[T]) Close() {
	q.inbox.close() // before q.lock, which files the remaining items
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

// Drain closes the queue and waits until all ready items are done. It returns the items
// that were not handed out, in the order in which to add them again: delayed items, and the
// items of the same serial name behind a delayed retry. If ctx ends earlier, the queue
// hands out no more items, and Drain returns all pending items, but not the handled ones.
// Each item is returned once.
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

// tryClose ends a closing queue if no item is ready or can become ready.
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

// takeLeftovers removes and returns all pending items.
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

// abandon clears what is pending for a node.
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
