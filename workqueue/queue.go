package workqueue

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// Queue hands out items to workers. Any goroutine may call any method. A Queue starts no
// goroutine, and may be dropped at any time.
type Queue[T comparable] struct {
	cfg   Config[T]
	seed  maphash.Seed
	start time.Time // times are nanoseconds since then
	end   chan struct{}

	useInbox bool // Add may put items into the inbox
	named    bool // items have a group or a serial name
	inbox    inbox[T]
	_        [64]byte // the fields below move between processors with the lock

	mu     sync.Mutex
	now    int64 // of the last call
	seq    uint64
	queued int     // nodes in the lines of levels
	aside  list[T] // ready nodes that are not in their line in the order of age
	counters
	handling handledSet[T]
	levels   []*level[T] // highest priority first
	delays   delayHeap[T]
	table    table[T]

	groups       map[string]*group[T]
	serials      map[string]*serial[T]
	spareGroups  freeList[group[T]]
	spareSerials freeList[serial[T]]

	workers   waiters // wait for an item
	producers waiters // wait for room
	closing   bool    // rejects new items
	closed    bool    // hands out no more items
}

// names are the group and the serial name of an item.
type names struct{ group, serial string }

// New returns an empty queue.
func New[T comparable](cfg Config[T]) *Queue[T] {
	start := time.Now()
	cfg = guarded(cfg.withDefaults(), start)
	q := &Queue[T]{
		cfg:      cfg,
		useInbox: cfg.Limit == unlimited && cfg.Observer == nil,
		named:    cfg.Group != nil || cfg.Serial != nil,
		seed:     maphash.MakeSeed(),
		start:    start,
		delays:   delayHeap[T]{armed: never},
		groups:   map[string]*group[T]{},
		serials:  map[string]*serial[T]{},
		end:      make(chan struct{}),
	}
	if cfg.Clock != nil {
		q.start = q.start.Add(-cfg.Clock())
	} else {
		q.cfg.Clock = func() time.Duration { return time.Since(q.start) }
	}
	return q
}

// Add makes an item ready at priority 0. A ready item keeps its position, a delayed item
// becomes ready at once, and a handled item becomes ready again after its Done. Add waits
// for room, or fails, as Config.Limit and Config.Full determine.
//
// Errors: ErrClosed, ErrFull; the cause of ctx.
func (q *Queue[T]) Add(ctx context.Context, item T) error {
	return q.AddWith(ctx, item, Options{})
}

// AddAfter is Add after a delay. The earliest of several delays counts. A ready item is not
// delayed, and an item that is added during its delay does not become ready a second time.
//
// Errors: ErrClosed, ErrFull; the cause of ctx.
func (q *Queue[T]) AddAfter(ctx context.Context, item T, d time.Duration) error {
	return q.AddWith(ctx, item, Options{After: d})
}

// AddWith is Add with a priority and a delay. The priority of an item is the highest
// priority with which it was added since it was last handed out. A ready item whose
// priority rises moves to the end of the items of that priority, unless its current
// position is further in front.
//
// Errors: ErrClosed, ErrFull; the cause of ctx.
func (q *Queue[T]) AddWith(ctx context.Context, item T, o Options) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	hash := uint32(maphash.Comparable(q.seed, item))
	var of names
	if q.named {
		of = q.names(item)
	}
	if q.inbox.count.Load() > 0 || !q.mu.TryLock() {
		if q.useInbox && o.After <= 0 && q.putInbox(inboxItem[T]{item, of, hash, q.clock(), o.Priority}) {
			return nil
		}
		q.mu.Lock()
	}
	if n := q.table.find(hash, item); n != nil && n.pending == due && o.Priority <= n.priority && !q.closed {
		q.adds++ // the item is already ready, so the time does not matter
		q.unlock()
		return nil
	}
	defer q.unlock()
	q.advance(q.clock())
	return q.addLocked(ctx, item, hash, &of, o)
}

// putInbox adds an item to the inbox, and reports whether it did.
func (q *Queue[T]) putInbox(a inboxItem[T]) bool {
	added, wake := q.inbox.put(a)
	if wake {
		q.lock()
		q.unlock()
	}
	return added
}

// AddAll is AddWith for many items, in their order and at a lower cost. It returns the
// number of items that it added: all, unless there is an error.
//
// Errors: ErrClosed, ErrFull; the cause of ctx.
func (q *Queue[T]) AddAll(ctx context.Context, items []T, o Options) (int, error) {
	for i := 0; i < len(items); i += batch {
		some := items[i:min(i+batch, len(items))]
		if ctx.Err() != nil {
			return i, context.Cause(ctx)
		}
		var hashes [batch]uint32
		var of [batch]names
		for j, item := range some {
			hashes[j], of[j] = q.hash(item), q.names(item)
		}
		if n, err := q.addSome(ctx, some, &hashes, &of, o); err != nil {
			return i + n, err
		}
	}
	return len(items), nil
}

func (q *Queue[T]) addSome(ctx context.Context, items []T, hashes *[batch]uint32, of *[batch]names, o Options) (int, error) {
	q.lock()
	defer q.unlock()
	for i, item := range items {
		if err := q.addLocked(ctx, item, hashes[i], &of[i], o); err != nil {
			return i, err
		}
	}
	return len(items), nil
}

func (q *Queue[T]) addLocked(ctx context.Context, item T, hash uint32, of *names, o Options) error {
	n, err := q.nodeOf(ctx, item, hash, of)
	if err == nil {
		q.adds++
		q.request(n, o)
	}
	return err
}

// Retry requeues an item whose handling failed. The worker calls it before Done. The item
// becomes ready again with its previous priority, after the limiter's delay, which Retry
// returns. It keeps its place in its serial name: later items of the name wait for it. For
// an item that is not handled, Retry is AddAfter.
//
// Errors: ErrClosed, ErrFull; the cause of ctx.
func (q *Queue[T]) Retry(ctx context.Context, item T) (time.Duration, error) {
	d := max(0, q.cfg.Limiter.Delay(q.Retries(item)))
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	hash, of := q.hash(item), q.names(item)
	q.lock()
	defer q.unlock()
	n, err := q.nodeOf(ctx, item, hash, &of)
	if err != nil {
		return 0, err
	}
	q.retries++
	n.retries++
	o := Options{Priority: n.priority, After: d}
	if n.handled {
		o.Priority = n.taken
		n.keepsPlace = true
	}
	q.request(n, o)
	return d, nil
}

// Forget sets the number of retries of an item to zero. Call it for an item that succeeded
// and will be added again. It is not needed for an item that is not pending after its Done:
// the queue keeps no data of such an item.
func (q *Queue[T]) Forget(item T) {
	hash := q.hash(item)
	q.lock()
	defer q.unlock()
	if n := q.table.find(hash, item); n != nil {
		n.retries = 0
	}
}

// Retries returns the number of calls of Retry for an item since Forget, or since the queue
// began to hold it.
func (q *Queue[T]) Retries(item T) int {
	hash := q.hash(item)
	q.lock()
	defer q.unlock()
	if n := q.table.find(hash, item); n != nil {
		return int(n.retries)
	}
	return 0
}

// Done ends the handling of items that Get returned. An item that was added in the meantime
// becomes ready again.
//
// Errors: ErrNotHandled if an item is not handled. The call still ends the handling of the
// other items.
func (q *Queue[T]) Done(items ...T) error {
	var err error
	for len(items) > 0 {
		var hashes [few]uint32
		some := items[:min(few, len(items))]
		items = items[len(some):]
		for i, item := range some {
			hashes[i] = q.hash(item)
		}
		if !q.doneSome(some, &hashes) {
			err = ErrNotHandled
		}
	}
	return err
}

func (q *Queue[T]) doneSome(items []T, hashes *[few]uint32) bool {
	q.lock()
	defer q.unlock()
	all := true
	for i, item := range items {
		n := q.table.find(hashes[i], item)
		if n != nil && n.handled {
			q.done(n)
		} else {
			all = false
		}
	}
	return all
}

func (q *Queue[T]) done(n *node[T]) {
	q.handling.remove(n)
	took := q.finished(n.start, q.now)
	n.handled = false
	if q.cfg.Observer != nil {
		q.cfg.Observer.Done(n.item, took)
	}
	if lane := n.serial(); lane != nil && !n.keepsPlace {
		if next := lane.pop(); next != nil {
			q.requeue(next)
		}
	}
	switch n.pending {
	case due:
		n.start, n.ready = n.ready, q.now
		q.makeReady(n, q.now)
	case nothing:
		q.release(n)
	}
}

func (q *Queue[T]) hash(item T) uint32 { return uint32(maphash.Comparable(q.seed, item)) }

// names calls functions of the user, so the caller must not hold the lock.
func (q *Queue[T]) names(item T) (of names) {
	if q.cfg.Group != nil {
		of.group = q.cfg.Group(item)
	}
	if q.cfg.Serial != nil {
		of.serial = q.cfg.Serial(item)
	}
	return of
}

// nodeOf returns the node of an item. For a new item it may release the lock and wait
// for room.
func (q *Queue[T]) nodeOf(ctx context.Context, item T, hash uint32, of *names) (*node[T], error) {
	turn := false
	for {
		n := q.table.find(hash, item)
		switch {
		case q.closed || q.closing && n == nil:
			return nil, ErrClosed
		case n != nil:
			return n, nil
		case q.room() && (turn || len(q.producers.parked)+q.producers.signaled == 0):
			n = q.table.insert(hash, item)
			q.attach(n, of)
			return n, nil
		case q.cfg.Full == Refuse:
			return nil, ErrFull
		}
		w := q.producers.park()
		q.unlock()
		turn = w.wait(ctx)
		q.lock()
		q.producers.unpark(w, turn)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

func (q *Queue[T]) room() bool { return q.table.count < q.cfg.Limit }

// request merges a priority and a delay with those that the node already has.
func (q *Queue[T]) request(n *node[T], o Options) {
	if n.pending == nothing {
		n.priority = o.Priority
	}
	raised := o.Priority > n.priority
	n.priority = max(n.priority, o.Priority)
	switch {
	case n.pending == due:
		if raised && !n.handled {
			q.raise(n)
		}
	case o.After <= 0:
		if n.pending == delayed {
			q.delays.remove(n)
		}
		n.pending, n.ready = due, q.now
		q.added(n)
		if n.handled {
			q.seq++
			n.seq = q.seq
		} else {
			n.start = q.now
			q.makeReady(n, q.now)
		}
	default:
		q.delayed++
		q.delay(n, after(q.now, o.After))
	}
}

func (q *Queue[T]) added(n *node[T]) {
	if q.cfg.Observer != nil {
		q.cfg.Observer.Added(n.item)
	}
}

// delay delays a node until a time, unless it is delayed until an earlier one.
func (q *Queue[T]) delay(n *node[T], until int64) {
	switch {
	case n.pending == nothing:
		q.seq++
		n.pending, n.ready, n.seq = delayed, until, q.seq
		q.delays.push(n)
	case until < n.ready:
		q.seq++
		n.ready, n.seq = until, q.seq
		q.delays.move(n)
	}
	q.arm(q.now)
}

// makeReady puts a node behind all other nodes of its priority.
func (q *Queue[T]) makeReady(n *node[T], now int64) {
	q.assignPosition(n, now)
	if lane := n.serial(); lane != nil {
		lane.push(n)
	}
	q.enqueue(n)
}

// assignPosition gives a node the last position of its priority.
func (q *Queue[T]) assignPosition(n *node[T], now int64) {
	q.seq++
	n.rank, n.seq = q.rank(n.priority, now), q.seq
	n.level = q.levelOf(n.priority)
	n.level.waiting++
}

// rank orders ready items: it is the time at which an item of priority 0 would have
// been added to have the same position.
func (q *Queue[T]) rank(priority int8, now int64) int64 {
	return now - int64(priority)*int64(q.cfg.Age)
}

// raise moves a ready node to the line of its new priority.
func (q *Queue[T]) raise(n *node[T]) {
	if q.rank(n.priority, q.now) < n.rank {
		q.dequeue(n)
		n.level.waiting--
		q.assignPosition(n, q.now)
		q.enqueue(n)
		q.setAside(n)
	}
}

// lock takes the lock, files the inbox and promotes delayed items that are due.
func (q *Queue[T]) lock() int64 {
	now := q.clock()
	q.mu.Lock()
	return q.advance(now)
}

// advance files the inbox and promotes delayed items that are due. The caller holds the
// lock.
func (q *Queue[T]) advance(now int64) int64 {
	if q.inbox.count.Load() > 0 {
		q.fileInbox()
	}
	q.now = max(q.now, now)
	if q.delays.due(q.now) {
		q.promote(q.now)
	}
	return q.now
}

// unlock releases the lock. If an item is ready and a worker waits, or there is room
// and a producer waits, unlock wakes one of them.
func (q *Queue[T]) unlock() {
	if q.closing || len(q.workers.parked)+len(q.producers.parked) > 0 || q.inbox.idle.Load() {
		q.unlockAndWake()
	} else {
		q.mu.Unlock()
	}
}

// unlockAndWake is unlock if a goroutine may wait.
func (q *Queue[T]) unlockAndWake() {
	if q.closing {
		q.tryClose()
	}
	var worker, producer *waiter
	idle := q.workers.signaled == 0 && len(q.workers.parked) > 0
	if idle && q.queued == 0 {
		q.inbox.setIdle(true)
		if q.inbox.count.Load() > 0 {
			q.fileInbox()
		}
	}
	if idle && q.queued > 0 {
		worker = q.workers.signal(len(q.workers.parked) - 1)
		idle = false
	}
	q.inbox.setIdle(idle)
	if len(q.producers.parked) > 0 && q.producers.signaled == 0 && q.room() {
		producer = q.producers.signal(0)
	}
	q.mu.Unlock()
	if worker != nil {
		worker.wake <- struct{}{}
	}
	if producer != nil {
		producer.wake <- struct{}{}
	}
}
