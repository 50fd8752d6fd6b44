package delta

import (
	"container/list"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/wire"
)

// Coalesced carries deltas grouped by key: a key waits once, at the position
// of its first delta, with all its deltas in order. A consumer that lags
// behind gets an object's changes together, at most KeyEntries of them, instead
// of one by one. Who must see every state uses Queue.
//
// The server's word comes from one goroutine: Add, Update, Delete, Bookmark and
// Replace stand for its sequence, and calls that overlap have no order. Resync
// may be called from another one, Pop from any number of them.
type Coalesced struct {
	monitor
	order   list.List                  // of *item, the oldest first
	waiting map[wire.Key]*list.Element // the items in order, without barriers
	busy    map[wire.Key]*item         // those that a process function has
	barring bool                       // a process function has a barrier
	epoch   uint64                     // how many calls of Replace have begun
}

// item is a key with its deltas, or a barrier.
type item struct {
	key wire.Key
	entries
}

// barrier tells whether the item is one: nothing behind it is handed out before
// all in front of it, and the barrier, have been processed.
func (it *item) barrier() bool { return it.entries[0].Kind >= Bookmarked }

// NewCoalesced returns an empty queue.
func NewCoalesced(limits Limits) *Coalesced {
	q := &Coalesced{waiting: map[wire.Key]*list.Element{}, busy: map[wire.Key]*item{}}
	q.init(limits)
	return q
}

// Add says that an object came to be. It waits while the queue is full.
//
// Errors: ErrClosed; the cause of ctx.
func (q *Coalesced) Add(ctx context.Context, rec wire.Record) error {
	return q.put(ctx, Added, rec)
}

// Update says that an object has a new state. It waits while the queue is full.
//
// Errors: ErrClosed; the cause of ctx.
func (q *Coalesced) Update(ctx context.Context, rec wire.Record) error {
	return q.put(ctx, Updated, rec)
}

// Delete says that an object is gone; rec is its last state, with the version
// of the deletion. It waits while the queue is full.
//
// Errors: ErrClosed; the cause of ctx.
func (q *Coalesced) Delete(ctx context.Context, rec wire.Record) error {
	return q.put(ctx, Deleted, rec)
}

// Bookmark says that everything up to a version has been put in. The version
// reaches the consumer as Bookmarked, once all that was put in before has been
// processed; what is put in after may reach the consumer earlier, along with a
// key that waits. Of bookmarks with nothing between them the last is kept. It
// waits while the queue is full.
//
// Errors: ErrClosed; the cause of ctx.
func (q *Coalesced) Bookmark(ctx context.Context, version wire.Version) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.barLocked(ctx, Bookmarked, version)
}

// Replace says that the objects of a list are all there are, as of its version.
// Each comes as Replaced; what waits or is in process and is not in the list
// gets a missed deletion; then comes ReplacedEnd. Nothing asks the consumer what
// it has, so the rest is the consumer's part. It remembers with each object the
// Epoch of the last entry that was neither Sync nor Deleted, and at ReplacedEnd
// removes those whose epoch is lower than that of ReplacedEnd: they vanished
// while nobody looked. This holds whatever else waits, is folded or fails.
//
// Replace waits while the queue is full, for each object anew; the list may be
// larger than the bound. The deletions, one for each key at most, do not wait.
// One that fails has put in some of its objects, removes nothing, and is made
// good by the next.
//
// Errors: ErrClosed; the cause of ctx.
func (q *Coalesced) Replace(ctx context.Context, recs []wire.Record, version wire.Version) error {
	q.mu.Lock()
	q.epoch++
	q.mu.Unlock()
	for i := range recs {
		if err := q.put(ctx, Replaced, recs[i]); err != nil {
			return err
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.barLocked(ctx, ReplacedEnd, version)
}

// missLocked puts in a deletion for each key that this Replace did not name.
func (q *Coalesced) missLocked(version wire.Version) {
	vanished := func(last *Entry) bool { return last.Kind.state() && last.Epoch < q.epoch }
	for el := q.order.Front(); el != nil; el = el.Next() {
		it := el.Value.(*item)
		if last := &it.entries[len(it.entries)-1]; vanished(last) {
			q.addLocked(it, last.missed(version, q.epoch))
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(q.busy), wire.Key.Compare) {
		it := q.busy[key]
		if last := &it.entries[len(it.entries)-1]; q.waiting[key] == nil && vanished(last) {
			q.enqueueLocked(key, last.missed(version, q.epoch))
		}
	}
}

// Resync hands the consumer's own objects to it once more, as Sync. An object of
// which anything waits or is in process is left out: the consumer is about to
// hear of it anyway, and must not hear an older state after a newer one. A
// record that was overtaken before it came here can not be told from others: a
// consumer leaves out a Sync that is not what it has. Resync waits while the
// queue is full.
//
// Errors: ErrClosed; the cause of ctx.
func (q *Coalesced) Resync(ctx context.Context, recs iter.Seq[wire.Record]) error {
	for rec := range recs {
		if err := q.put(ctx, Sync, rec); err != nil {
			return err
		}
	}
	return nil
}

func (q *Coalesced) put(ctx context.Context, kind EntryKind, rec wire.Record) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	// Also while a Sync waits for room its key may come to wait.
	overtaken := func() bool {
		return kind == Sync && (q.waiting[rec.Key] != nil || q.busy[rec.Key] != nil)
	}
	err := q.waitLocked(ctx, func() bool { return q.closed || overtaken() || q.roomLocked(len(rec.Body)) })
	switch {
	case err != nil:
		return err
	case q.closed:
		return ErrClosed
	case overtaken():
		return nil
	}
	q.enqueueLocked(rec.Key, Entry{Kind: kind, Version: rec.Version, Epoch: q.epoch, Record: rec})
	return nil
}

// enqueueLocked adds an entry to what waits of its key.
func (q *Coalesced) enqueueLocked(key wire.Key, e Entry) {
	el := q.waiting[key]
	if el == nil {
		el = q.order.PushBack(&item{key: key})
		q.waiting[key] = el
		q.changed.Broadcast()
	}
	q.addLocked(el.Value.(*item), e)
}

func (q *Coalesced) addLocked(it *item, e Entry) {
	q.countLocked(it.entries, -1)
	it.entries = it.add(e)
	q.countLocked(it.entries, +1)
}

// countLocked adds entries to the account, or takes them off.
func (q *Coalesced) countLocked(l entries, sign int) {
	q.deltas += sign * len(l)
	q.bytes += sign * l.size()
}

// barLocked waits for room, and puts a barrier behind everything. Before the end
// of a list it puts the deletions that follow from it.
func (q *Coalesced) barLocked(ctx context.Context, kind EntryKind, version wire.Version) error {
	if err := q.waitLocked(ctx, func() bool { return q.closed || q.roomLocked(0) }); err != nil {
		return err
	}
	if q.closed {
		return ErrClosed
	}
	if kind == ReplacedEnd {
		q.missLocked(version)
	}
	e := Entry{Kind: kind, Version: version, Epoch: q.epoch}
	if back := q.order.Back(); back != nil && kind == Bookmarked {
		if last := back.Value.(*item); last.entries[0].Kind == Bookmarked {
			last.entries[0] = e
			return nil
		}
	}
	q.order.PushBack(&item{entries: entries{e}})
	q.deltas++
	q.changed.Broadcast()
	return nil
}

// Close refuses further deltas. What is in the queue can still be taken. It
// may be called more than once, on any goroutine.
func (q *Coalesced) Close() { q.close() }

// Len returns how many deltas the queue holds, and the bytes of their bodies:
// those that wait and those that are in process.
func (q *Coalesced) Len() (deltas, bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.deltas, q.bytes
}

// Synced returns a channel that is closed once the first ReplacedEnd has been
// processed, and with it all that was put in before. A queue without a Replace
// never is. Any goroutine may wait for it.
func (q *Coalesced) Synced() <-chan struct{} { return q.synced }

// HasSynced tells whether Synced is closed. Any goroutine may ask.
func (q *Coalesced) HasSynced() bool { return q.hasSynced() }
