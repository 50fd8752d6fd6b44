package store

import (
	"context"
	"slices"
	"sync"
)

// chain is the chain of changes with the cursor of each subscription.
type chain struct {
	backlog int

	mu       sync.Mutex
	moved    sync.Cond // signaled when a subscription advances or closes
	head     *link
	snapshot *Snapshot            // the snapshot at head; it may be reclaimed
	cursors  map[*cursor]struct{} // of the open subscriptions
	lag      Lag                  // the sum over all subscriptions, including closed ones
}

func (f *chain) init(first *Snapshot, backlog int) {
	f.backlog = backlog
	f.moved.L = &f.mu
	f.cursors = map[*cursor]struct{}{}
	f.snapshot = first
	f.head = &link{}
}

// waitForRoom waits until every Lossless subscription has fewer pending changes than the
// backlog.
func (f *chain) waitForRoom(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	full := f.fullLocked()
	if len(full) == 0 {
		return nil
	}
	stop := context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.moved.Broadcast()
	})
	defer stop()
	f.tellFullLocked(full, true)
	for {
		still := f.fullLocked()
		for _, c := range full {
			if !slices.Contains(still, c) {
				f.tellFullLocked([]*cursor{c}, false)
			}
		}
		switch full = still; {
		case len(f.fullLocked()) == 0: // it may have changed while the lock was free
			f.tellFullLocked(full, false)
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		f.moved.Wait()
	}
}

// tellFullLocked calls the OnFull functions of subscribers. It releases the lock meanwhile.
func (f *chain) tellFullLocked(of []*cursor, full bool) {
	for _, c := range of {
		if call := c.onFull; call != nil {
			f.mu.Unlock()
			call(full)
			f.mu.Lock()
		}
	}
}

// lockPersistent locks the chain while its snapshot is persistent, so that the caller may
// keep it.
func (f *chain) lockPersistent() {
	for {
		f.mu.Lock()
		now := f.snapshot
		if now.transient.persist() {
			return
		}
		f.mu.Unlock()
		now.origin.waitForWriter()
	}
}

// overflows reports whether a subscriber leaves the chain with the next change. A folding
// begins at the snapshot before it, and to fold a backlog takes milliseconds.
func (f *chain) overflows() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.cursors {
		if c.mode == EveryChange && c.behind == nil && f.head.seq-c.next >= uint64(f.backlog) ||
			c.mode == Latest && c.at != nil && f.pendingLocked(c) >= uint64(f.backlog) {
			return true
		}
	}
	return false
}

// fullLocked returns the Lossless subscriptions without room.
func (f *chain) fullLocked() (full []*cursor) {
	for c := range f.cursors {
		if c.mode == Lossless && f.pendingLocked(c) >= uint64(f.backlog) {
			full = append(full, c)
		}
	}
	return full
}

func (f *chain) pendingLocked(c *cursor) uint64 { return f.head.seq - c.taken }

// append adds a link for the changes that led to snapshot, if there are any. Without
// subscribers it adds nothing, because no subscriber can ask for earlier changes. A
// subscriber that is too far behind leaves the chain, unless the store waits for it.
// append returns the subscribers of EveryChange that have just fallen behind.
func (f *chain) append(snapshot *Snapshot, changes []Change) (fell []*cursor) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(changes) == 0 {
		f.snapshot = snapshot
		return nil
	}
	next := &link{seq: f.head.seq + uint64(len(changes))}
	var rest *folding // shared by the subscriptions that fall behind now
	for c := range f.cursors {
		if c.mode != EveryChange {
			continue
		}
		if c.behind == nil && f.head.seq-c.next >= uint64(f.backlog) {
			if rest == nil {
				rest = newFolding(f.snapshot, f.backlog)
			}
			f.fallBehind(c, rest)
			fell = append(fell, c)
		}
		if c.behind != nil {
			f.foldLink(c, changes, next.seq)
		}
	}
	if len(f.cursors) > 0 {
		f.head.changes = changes
	}
	f.head.next = next
	if f.head.more != nil {
		close(f.head.more)
	}
	f.head, f.snapshot = next, snapshot
	for c := range f.cursors {
		if c.mode == Latest && c.at != nil && f.pendingLocked(c) > uint64(f.backlog) {
			snapshot.transient.persist() // only this goroutine reclaims nodes
			c.left = &leftBacklog{fold(f.linksFrom(c.at)), snapshot}
			c.at = nil
		}
	}
	return fell
}

// linksFrom returns the changes from a link to the head.
func (f *chain) linksFrom(at *link) (links [][]Change) {
	for ; at != f.head; at = at.next {
		links = append(links, at.changes)
	}
	return links
}

// notify calls the OnLag functions of the subscribers that fell behind.
func (f *chain) notify(fell []*cursor) {
	for _, c := range fell {
		f.mu.Lock()
		call, lag := c.onLag, c.lag
		f.mu.Unlock()
		if call != nil {
			call(lag)
		}
	}
}

// fallBehind removes a subscriber from the chain, which would otherwise grow without a
// limit.
func (f *chain) fallBehind(c *cursor, rest *folding) {
	l := &foldedBacklog{folding: rest}
	for at := c.at; at != f.head; at = at.next {
		l.parts = append(l.parts, &backlogPart{n: uint64(len(at.changes)), changes: at.changes})
	}
	c.at, c.behind = nil, l
	c.lag.Behind = true
	c.lag.Episodes++
	f.lag.Episodes++
}

// foldLink adds the changes of the link with this number to the pending changes of the
// subscriber.
func (f *chain) foldLink(c *cursor, changes []Change, seq uint64) {
	l := c.behind.folding
	if l.seq != seq { // otherwise already folded for a subscriber that shares the folding
		l.foldLink(changes, seq)
	}
	for _, lag := range []*Lag{&c.lag, &f.lag} {
		lag.Unreported += l.missed
		lag.Folded += uint64(len(changes))
	}
}

// endFolding ends the folding of a subscriber that has caught up, and returns the folded
// changes. The subscribers that share the folding get the same part, and begin a new
// folding. The caller holds the lock.
func (f *chain) endFolding(c *cursor) *backlogPart {
	l := c.behind.folding
	c.behind = nil
	if l.n == 0 { // the other subscribers keep the folding; an empty part would end their backlog early
		return &backlogPart{}
	}
	p := &backlogPart{n: l.n, folded: l, now: f.snapshot}
	var rest *folding
	for other := range f.cursors {
		if other.behind == nil || other.behind.folding != l {
			continue
		}
		if rest == nil {
			rest = newFolding(f.snapshot, f.backlog)
		}
		other.behind.parts, other.behind.folding = append(other.behind.parts, p), rest
	}
	return p
}
