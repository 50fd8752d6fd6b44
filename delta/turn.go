package delta

import (
	"container/list"
	"context"

	"github.com/vedette-io/vedette/wire"
)

// Pop waits for the oldest key that no other Pop is at, and calls process with
// all that waits of it, oldest first, on the caller's goroutine and without a
// lock. Bookmarked and ReplacedEnd come alone, with the zero key, when nothing
// else is in process; until they have been processed nothing else is.
//
// When process has returned nil its deltas leave the queue. If it returns an
// error or panics they wait again, behind the other keys, so that one that fails
// does not hold up the rest, but in front of the next barrier, which says that
// they have been processed. What came of the key meanwhile is joined behind
// them. A barrier that fails is the next again.
//
// Any number of goroutines may call Pop; a key is in process once at a time. The
// deltas belong to the queue: process must not write to them nor keep the slice,
// and may keep the records. It must not call Pop on this queue, and if it puts
// into a full one it waits for itself.
//
// Errors: what process returned; ErrClosed when the queue is closed and nothing
// waits or is in process; the cause of ctx, which process is to look at itself.
func (q *Coalesced) Pop(ctx context.Context, process func(key wire.Key, deltas []Entry) error) error {
	it, err := q.take(ctx)
	if err != nil {
		return err
	}
	done := false
	defer func() { q.finish(it, done) }() // also when process panics
	if err := process(it.key, it.entries); err != nil {
		return err
	}
	done = true
	return nil
}

// take waits for the next item, and takes it out of the order. It stays in the
// account.
func (q *Coalesced) take(ctx context.Context) (*item, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var next *list.Element
	err := q.waitLocked(ctx, func() bool {
		next = q.nextLocked()
		return next != nil || q.closed && q.deltas == 0
	})
	if err != nil {
		return nil, err
	}
	if next == nil {
		return nil, ErrClosed
	}
	it := q.order.Remove(next).(*item)
	if it.barrier() {
		q.barring = true
		return it, nil
	}
	delete(q.waiting, it.key)
	q.busy[it.key] = it
	return it, nil
}

// nextLocked returns the item whose turn it is, nil if none may be taken now. It
// passes over at most as many as are in process.
func (q *Coalesced) nextLocked() *list.Element {
	if q.barring {
		return nil
	}
	for el := q.order.Front(); el != nil; el = el.Next() {
		it := el.Value.(*item)
		if it.barrier() {
			if len(q.busy) == 0 {
				return el
			}
			return nil
		}
		if q.busy[it.key] == nil {
			return el
		}
	}
	return nil
}

// finish ends what take began.
func (q *Coalesced) finish(it *item, done bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed.Broadcast()
	barrier := it.barrier()
	if barrier {
		q.barring = false
	} else {
		delete(q.busy, it.key)
	}
	switch {
	case done:
		q.countLocked(it.entries, -1)
		if it.entries[0].Kind == ReplacedEnd {
			q.syncLocked()
		}
	case barrier:
		q.order.PushFront(it)
	default:
		q.requeueLocked(it)
	}
}

// requeueLocked puts a failed item behind the others that the next barrier
// waits for, and what came meanwhile behind its entries.
func (q *Coalesced) requeueLocked(it *item) {
	if el := q.waiting[it.key]; el != nil {
		newer := q.order.Remove(el).(*item)
		q.countLocked(newer.entries, -1)
		for _, e := range newer.entries {
			q.addLocked(it, e)
		}
	}
	for el := q.order.Front(); el != nil; el = el.Next() {
		if el.Value.(*item).barrier() {
			q.waiting[it.key] = q.order.InsertBefore(it, el)
			return
		}
	}
	q.waiting[it.key] = q.order.PushBack(it)
}
