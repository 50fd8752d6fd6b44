package store

import (
	"context"
	"errors"
	"math"
	"slices"
)

// ErrClosed is returned by Next of a closed subscription.
var ErrClosed = errors.New("subscription is closed")

// Subscription delivers the changes of a store. It belongs to one goroutine, which must
// close it. An open Lossless subscription that nobody reads blocks the store
// once the backlog is full.
type Subscription struct {
	chain  *chain
	cursor cursor
	done   bool
	from   *Snapshot // where it started, until the first Next
}

// Subscribe starts a subscription at the current snapshot.
func (s *Store) Subscribe(mode Mode) *Subscription {
	f := &s.chain
	f.lockPersistent()
	defer f.mu.Unlock()
	sub := &Subscription{chain: f, from: f.snapshot, cursor: cursor{mode: mode, at: f.head, taken: f.head.seq, next: f.head.seq}}
	f.cursors[&sub.cursor] = struct{}{}
	return sub
}

// Snapshot returns the snapshot that precedes the first change. After the first Next it
// returns nil, because the subscription has released the snapshot.
func (s *Subscription) Snapshot() *Snapshot { return s.from }

// OnLag sets a function that is called each time the subscriber of EveryChange falls
// behind. The goroutine that calls Apply calls f, so f must be fast and must not call
// Apply. Call OnLag before the first Next.
func (s *Subscription) OnLag(f func(Lag)) {
	s.chain.mu.Lock()
	defer s.chain.mu.Unlock()
	s.cursor.onLag = f
}

// OnFull sets a function that is called when Apply begins to wait for the subscriber of
// Lossless, and when it no longer waits. If the context of Apply ends, the second call is
// missing. The goroutine that calls Apply calls f, so f must be fast and must not call
// Apply. Call OnFull before the first Next.
func (s *Subscription) OnFull(f func(full bool)) {
	s.chain.mu.Lock()
	defer s.chain.mu.Unlock()
	s.cursor.onFull = f
}

// Lag returns how far the subscriber has fallen behind. In modes other than EveryChange
// it is always zero. Any goroutine may call it.
func (s *Subscription) Lag() Lag {
	s.chain.mu.Lock()
	defer s.chain.mu.Unlock()
	return s.cursor.lag
}

// Next waits for changes and returns the changes of one batch or one list. With Latest,
// or after falling behind, it returns all pending changes. Each call acknowledges the
// changes that were returned before. Changes are shared and must not be modified.
//
// Errors: the cause of ctx; ErrClosed.
func (s *Subscription) Next(ctx context.Context) ([]Change, error) {
	for {
		more, err := s.acknowledge()
		if err != nil {
			return nil, err
		}
		if more != nil {
			select {
			case <-more:
			default:
				select {
				case <-more:
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				}
			}
		}
		if changes, _ := s.take(1, false); len(changes) > 0 {
			return changes, nil
		}
	}
}

// Ready returns a channel that is closed when changes are pending or the subscription is
// closed. A call of Ready acknowledges the changes that were returned before.
func (s *Subscription) Ready() <-chan struct{} {
	more, err := s.acknowledge()
	if err != nil || more == nil {
		return closed
	}
	return more
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// CatchUp returns the pending changes without waiting, and the snapshot after them. A
// subscriber that has fallen behind first gets its backlog, and reaches the current
// snapshot of the store only with the next call. A call of CatchUp acknowledges the
// changes that were returned before.
//
// Errors: ErrClosed.
func (s *Subscription) CatchUp() ([]Change, *Snapshot, error) {
	if _, err := s.acknowledge(); err != nil {
		return nil, nil, err
	}
	changes, now := s.take(math.MaxInt, true)
	return changes, now, nil
}

// Changes is CatchUp without the snapshot. The store copies less for its next change if
// nobody has the current snapshot.
func (s *Subscription) Changes() ([]Change, error) {
	if _, err := s.acknowledge(); err != nil {
		return nil, err
	}
	changes, _ := s.take(math.MaxInt, false)
	return changes, nil
}

// acknowledge acknowledges the changes that were returned, and returns the channel that
// announces more. The channel is nil if the subscriber is off the chain, because then
// there are more changes already.
func (s *Subscription) acknowledge() (<-chan struct{}, error) {
	if s.done {
		return nil, ErrClosed
	}
	s.from = nil // release the first snapshot
	f := s.chain
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.cursor.taken != s.cursor.next {
		s.cursor.taken = s.cursor.next
		f.moved.Broadcast()
	}
	if s.cursor.at == nil {
		return nil, nil
	}
	at := s.cursor.at
	if at.next != nil {
		return closed, nil
	}
	if at.more == nil {
		at.more = make(chan struct{})
	}
	return at.more, nil
}

// take returns the pending changes of at most links links of the chain, and, if the caller
// keeps it, the snapshot after all pending changes.
func (s *Subscription) take(links int, keep bool) ([]Change, *Snapshot) {
	if s.cursor.mode == Latest {
		return s.takeLatest(keep)
	}
	some, pieces, now := s.claim(links, keep)
	for _, p := range pieces {
		some = append(some, p.get())
	}
	if len(some) == 1 {
		return some[0], now
	}
	return slices.Concat(some...), now
}

// lock locks the chain. Its snapshot is persistent if the caller keeps it, or if the changes
// of the subscriber end or begin there.
func (s *Subscription) lock(keep bool) {
	s.chain.mu.Lock()
	if keep || s.cursor.behind != nil || s.cursor.left != nil {
		s.chain.mu.Unlock()
		s.chain.lockPersistent()
	}
}

// claim takes at most n links of the chain, or n parts if the subscriber has fallen
// behind, and returns the snapshot after them, which the caller may use only if it keeps
// it. Computing the changes of a part takes time, so the caller does that without the lock.
func (s *Subscription) claim(n int, keep bool) (links [][]Change, pieces []*backlogPart, now *Snapshot) {
	f := s.chain
	s.lock(keep)
	defer f.mu.Unlock()
	l := s.cursor.behind
	switch {
	case l == nil:
		for ; s.cursor.at != f.head && len(links) < n; s.cursor.at = s.cursor.at.next {
			links = append(links, s.cursor.at.changes)
		}
		s.cursor.next = s.cursor.at.seq
		return links, nil, f.snapshot
	case len(l.parts) == 0: // back on the chain
		s.cursor.at, s.cursor.next, s.cursor.lag.Behind = f.head, f.head.seq, false
		return nil, []*backlogPart{f.endFolding(&s.cursor)}, f.snapshot
	}
	n = min(n, len(l.parts))
	pieces, l.parts = l.parts[:n], l.parts[n:]
	for _, p := range pieces {
		s.cursor.next += p.n
	}
	return nil, pieces, l.folding.base
}

// takeLatest returns the folded changes since its last call, and, if the caller keeps it,
// the snapshot after them.
func (s *Subscription) takeLatest(keep bool) ([]Change, *Snapshot) {
	f := s.chain
	s.lock(keep)
	now, left := f.snapshot, s.cursor.left
	var links [][]Change
	if left == nil {
		links = f.linksFrom(s.cursor.at)
	}
	s.cursor.left, s.cursor.at, s.cursor.next = nil, f.head, f.head.seq
	f.mu.Unlock()
	if left != nil {
		links = [][]Change{left.changes, diff(left.from, now)}
	}
	return fold(links), now
}

// Pending returns the number of pending changes, including those that were returned last
// and not acknowledged. Except with Lossless, some of them may be folded into others.
func (s *Subscription) Pending() int {
	s.chain.mu.Lock()
	defer s.chain.mu.Unlock()
	if _, open := s.chain.cursors[&s.cursor]; !open {
		return 0
	}
	return int(s.chain.pendingLocked(&s.cursor))
}

// Close ends the subscription. It may be called more than once, but only on the goroutine
// that owns the subscription.
func (s *Subscription) Close() {
	s.done = true
	s.chain.mu.Lock()
	defer s.chain.mu.Unlock()
	delete(s.chain.cursors, &s.cursor)
	s.cursor.at, s.cursor.left, s.from, s.cursor.behind = nil, nil, nil, nil
	s.chain.moved.Broadcast()
}
