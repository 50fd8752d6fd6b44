package store

import (
	"context"
	"sync"
)

// link is one link of the chain of changes. A subscription refers to the link that it has
// reached, so the garbage collector frees the links that all subscriptions have passed.
// The last link has no changes yet, so a store whose subscribers are up to date holds
// none.
type link struct {
	seq     uint64        // number of changes before this link
	changes []Change      // the changes between this link and next
	next    *link         // set before more is closed
	more    chan struct{} // closed when next is set
}

// chain is the chain of changes with the position of each subscription.
type chain struct {
	backlog int

	mu       sync.Mutex
	moved    sync.Cond // signaled when a subscription advances or closes
	head     *link
	snapshot *Snapshot // the snapshot at head
	subs     map[*Subscription]struct{}
	lag      Lag // the sum over all subscriptions, including closed ones
}

func (f *chain) init(first *Snapshot, backlog int) {
	f.backlog = backlog
	f.moved.L = &f.mu
	f.subs = map[*Subscription]struct{}{}
	f.snapshot = first
	f.head = &link{more: make(chan struct{})}
}

// waitForRoom waits until every Lossless subscription has fewer pending changes than the
// backlog.
func (f *chain) waitForRoom(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.fullLocked() {
		return nil
	}
	stop := context.AfterFunc(ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.moved.Broadcast()
	})
	defer stop()
	for f.fullLocked() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f.moved.Wait()
	}
	return nil
}

func (f *chain) fullLocked() bool {
	for sub := range f.subs {
		if sub.mode == Lossless && f.pendingLocked(sub) >= uint64(f.backlog) {
			return true
		}
	}
	return false
}

func (f *chain) pendingLocked(sub *Subscription) uint64 { return f.head.seq - sub.taken }

// append adds a link for the changes that led to snapshot, if there are any. Without
// subscribers it adds nothing, because no subscriber can ask for earlier changes. A
// subscriber that is too far behind leaves the chain, unless the store waits for it.
// append returns the subscribers of EveryChange that have just fallen behind.
func (f *chain) append(snapshot *Snapshot, changes []Change) (fell []*Subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(changes) == 0 {
		f.snapshot = snapshot
		return nil
	}
	next := &link{seq: f.head.seq + uint64(len(changes)), more: make(chan struct{})}
	var rest *folding // shared by the subscriptions that fall behind now
	for sub := range f.subs {
		if sub.mode != EveryChange {
			continue
		}
		if sub.behind == nil && f.head.seq-sub.next >= uint64(f.backlog) {
			if rest == nil {
				rest = newFolding(f.snapshot, f.backlog)
			}
			sub.fallBehind(rest)
			fell = append(fell, sub)
		}
		if sub.behind != nil {
			sub.foldLink(changes, next.seq)
		}
	}
	if len(f.subs) > 0 {
		f.head.changes = changes
	}
	f.head.next = next
	close(f.head.more)
	f.head, f.snapshot = next, snapshot
	for sub := range f.subs {
		if sub.mode == Latest && f.pendingLocked(sub) > uint64(f.backlog) {
			sub.at = nil
		}
	}
	return fell
}

// notify calls the OnLag functions of the subscribers that fell behind.
func (f *chain) notify(fell []*Subscription) {
	for _, sub := range fell {
		f.mu.Lock()
		call, lag := sub.onLag, sub.lag
		f.mu.Unlock()
		if call != nil {
			call(lag)
		}
	}
}
