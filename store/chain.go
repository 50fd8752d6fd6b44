package store

import (
	"context"
	"sync"
)

// link is one link of the chain of changes. Subscribers hold on to the link
// they have reached, so a link that all have passed is garbage by itself. The last link
// has no changes yet, so a store whose subscribers have taken all holds none.
type link struct {
	seq     uint64        // changes up to this link
	changes []Change      // those that lead to after
	next    *link         // set before more is closed
	more    chan struct{} // closed when there is a link after this
}

// chain is the chain, and how far each subscriber has come.
type chain struct {
	backlog int

	mu       sync.Mutex
	moved    sync.Cond // a subscriber went on, or away
	head     *link
	snapshot *Snapshot // what head led to
	subs     map[*Subscription]struct{}
	lag      Lag // summed over all subscribers, past ones included
}

func (f *chain) init(first *Snapshot, backlog int) {
	f.backlog = backlog
	f.moved.L = &f.mu
	f.subs = map[*Subscription]struct{}{}
	f.snapshot = first
	f.head = &link{more: make(chan struct{})}
}

// waitForRoom waits until the slowest subscriber of Lossless has fewer changes waiting than
// the backlog allows.
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
	var rest *folding // of those that fall behind now
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
