package workqueue

import (
	"math"
	"time"
)

const (
	never = math.MaxInt64
	// batch is the maximum number of items that are handled under one lock, so that
	// other callers do not wait for a million items.
	batch = 64
	// few is the same limit for calls that mostly have one item.
	few = 16
)

// delayHeap is the heap of delayed items, earliest first. One timer serves all of them.
type delayHeap[T comparable] struct {
	heap  []delayedNode[T]
	timer *time.Timer
	armed int64 // when it fires
}

type delayedNode[T comparable] struct {
	ready int64
	n     *node[T]
}

func (a delayedNode[T]) before(b delayedNode[T]) bool {
	return a.ready < b.ready || a.ready == b.ready && a.n.seq < b.n.seq
}

func (l *delayHeap[T]) push(n *node[T]) {
	l.heap = append(l.heap, delayedNode[T]{n.ready, n})
	l.up(len(l.heap)-1, delayedNode[T]{n.ready, n})
}

// move restores the order after the delay of a node became shorter.
func (l *delayHeap[T]) move(n *node[T]) { l.up(int(n.index), delayedNode[T]{n.ready, n}) }

func (l *delayHeap[T]) remove(n *node[T]) {
	end := len(l.heap) - 1
	last := l.heap[end]
	l.heap[end] = delayedNode[T]{}
	l.heap = l.heap[:end]
	if at := int(n.index); at < end {
		l.down(at, last)
		l.up(int(last.n.index), last)
	}
}

// up and down move a free position until it is the position of a node. A parent has four
// children, which halves the number of steps and keeps them in adjacent memory.
func (l *delayHeap[T]) up(at int, d delayedNode[T]) {
	for at > 0 {
		parent := (at - 1) / 4
		if !d.before(l.heap[parent]) {
			break
		}
		l.set(at, l.heap[parent])
		at = parent
	}
	l.set(at, d)
}

func (l *delayHeap[T]) down(at int, d delayedNode[T]) {
	for {
		least := -1
		for child := 4*at + 1; child <= min(4*at+4, len(l.heap)-1); child++ {
			if least < 0 || l.heap[child].before(l.heap[least]) {
				least = child
			}
		}
		if least < 0 || d.before(l.heap[least]) {
			break
		}
		l.set(at, l.heap[least])
		at = least
	}
	l.set(at, d)
}

func (l *delayHeap[T]) set(at int, d delayedNode[T]) {
	l.heap[at] = d
	d.n.index = int32(at)
}

// due reports whether the delay of the first node is over.
func (l *delayHeap[T]) due(now int64) bool { return len(l.heap) > 0 && l.heap[0].ready <= now }

// promote makes nodes ready whose delay is over, at most a batch of them.
func (q *Queue[T]) promote(now int64) {
	for range batch {
		if q.closing || !q.delays.due(now) {
			return
		}
		n := q.delays.heap[0].n
		q.delays.remove(n)
		n.pending = due
		q.added(n)
		if !n.handled {
			n.start = now
			q.makeReady(n, now)
		}
	}
}

// arm sets the timer for the first delayed node, unless it is set for an earlier time.
func (q *Queue[T]) arm(now int64) {
	if q.closing || len(q.delays.heap) == 0 || q.delays.heap[0].ready >= q.delays.armed {
		return
	}
	q.delays.armed = q.delays.heap[0].ready
	wait := time.Duration(q.delays.armed - now)
	if q.delays.timer == nil {
		q.delays.timer = time.AfterFunc(wait, q.fire)
	} else {
		q.delays.timer.Reset(wait)
	}
}

// fire is called by the timer. q.lock promotes the nodes that are due.
func (q *Queue[T]) fire() {
	for again := true; again; {
		now := q.lock()
		if again = q.delays.due(now) && !q.closing; !again {
			q.delays.armed = never
			q.arm(now)
		}
		q.unlock()
	}
}

// after returns a time plus a delay, limited to the latest possible time.
func after(now int64, d time.Duration) int64 {
	if int64(d) > never-1-now {
		return never - 1
	}
	return now + int64(d)
}
