package workqueue

import (
	"sync"
	"sync/atomic"
)

// intake is where producers leave items while another goroutine has the lock of the
// queue, and no worker waits for one. The next call that takes the lock files them: what
// an Add would do to memory that workers use is done by a worker, for many items at
// once, and producers do not wait for the lock.
type inbox[T comparable] struct {
	mu     sync.Mutex
	items  []inboxItem[T]
	filing []inboxItem[T] // the other of two buffers, under the lock of the queue
	count  atomic.Int32   // of items; any goroutine may look
	closed bool           // takes nothing any more
	idle   atomic.Bool    // a worker waits that nobody has called
}

// arrival is an item as it was added.
type inboxItem[T comparable] struct {
	item     T
	names    names
	hash     uint32
	at       int64
	priority int8
}

// leave leaves an item; false if there is no place for it here. The caller makes
// sure that somebody comes: soon is said where none may.
func (in *inbox[T]) put(a inboxItem[T]) (left, soon bool) {
	if in.idle.Load() {
		return false, false
	}
	in.mu.Lock()
	if in.closed {
		in.mu.Unlock()
		return false, false
	}
	in.items = append(in.items, a)
	n := len(in.items)
	in.count.Store(int32(n))
	in.mu.Unlock()
	// A worker that is about to wait says so first and looks here then; so either
	// he sees the item, or this sees that he waits.
	return true, n >= batch || in.idle.Load()
}

// say says whether a worker waits that nobody has called. The lock of the queue is held.
func (in *inbox[T]) setIdle(idle bool) {
	if in.idle.Load() != idle { // to look is cheaper than to say it again
		in.idle.Store(idle)
	}
}

// seal ends it, but not what is there.
func (in *inbox[T]) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
}

// accept files what was left, in its order and with its times. The lock of the
// queue is held.
func (q *Queue[T]) fileInbox() {
	in := &q.inbox
	in.mu.Lock()
	in.items, in.filing = in.filing[:0], in.items
	in.count.Store(0)
	in.mu.Unlock()
	for i := range in.filing {
		a := &in.filing[i]
		q.now = max(q.now, a.at)
		n := q.table.find(a.hash, a.item)
		if n == nil {
			n = q.table.insert(a.hash, a.item)
			q.attach(n, &a.names)
		}
		q.adds++
		q.request(n, Options{Priority: a.priority})
	}
	clear(in.filing)
}

func (q *Queue[T]) clock() int64 { return int64(q.cfg.Clock()) }
