package workqueue

import (
	"sync"
	"sync/atomic"
)

// inbox holds items that producers add while another goroutine has the lock of the
// queue and no worker waits. The next call that takes the lock files them. So workers
// touch the memory of the queue for many items at once, and producers do not wait for
// the lock.
//
// An item must not stay here while a worker waits. Before a worker waits, it sets idle
// and then checks count (Queue.unlockAndWake). A producer adds its item and then checks
// idle (put). So at least one of them sees the other; TestHandshake explores every
// interleaving.
type inbox[T comparable] struct {
	mu     sync.Mutex
	items  []inboxItem[T]
	filing []inboxItem[T] // the other of two buffers, under the lock of the queue
	count  atomic.Int32   // len(items), for readers without the lock
	closed bool           // accepts no more items
	idle   atomic.Bool    // a worker waits, and no signal is on its way to one
}

// inboxItem is an item with the arguments of its Add.
type inboxItem[T comparable] struct {
	item     T
	names    names
	hash     uint32
	at       int64
	priority int8
}

// put adds an item, and reports whether it did. If wake is true, the caller must take and
// release the lock of the queue: the inbox is full, or a worker waits.
func (in *inbox[T]) put(a inboxItem[T]) (added, wake bool) {
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
	// The second check: a worker may have set idle since the first.
	return true, n >= batch || in.idle.Load()
}

// setIdle sets idle. The caller holds the lock of the queue.
func (in *inbox[T]) setIdle(idle bool) {
	if in.idle.Load() != idle { // a load is cheaper than a store
		in.idle.Store(idle)
	}
}

// close makes put refuse items. Those in the inbox stay until fileInbox.
func (in *inbox[T]) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
}

// fileInbox moves the items of the inbox to the queue, in order and with the times at
// which they were added. The caller holds the lock of the queue.
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
