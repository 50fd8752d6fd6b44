package store

import (
	"context"
	"errors"
	"math"
	"slices"
)

// ErrClosed is returned by Next of a subscription that was closed.
var ErrClosed = errors.New("subscription is closed")

// Mode says what a subscriber is told, and what happens when it lags.
type Mode uint8

const (
	// EveryChange: each change, once and in order. A subscriber that lags by more
	// than the backlog holds up nobody: until it has caught up, it is told what became
	// of each object, with the number of changes (Change.Folded), and of the objects
	// that came and went (Change.CameAndWent). Subscription.Lag counts that.
	EveryChange Mode = iota
	// Latest: what became of each object since the subscriber looked last. Changes
	// of one object in between are folded into one, and an object that came and went
	// is left out. A subscriber that lags holds up nobody, and costs at most the
	// difference between two snapshots.
	Latest
	// Lossless: each change, once and in order, whatever it costs. A subscriber that
	// lags by the backlog makes the store wait, and through it the server.
	Lossless
)

// String returns the name of the mode.
func (m Mode) String() string {
	switch m {
	case EveryChange:
		return "EveryChange"
	case Latest:
		return "Latest"
	case Lossless:
		return "Lossless"
	}
	return "Mode(?)"
}

// Subscription is a cursor in the changes of a store. It belongs to one
// goroutine, which closes it when it needs no more: an open one of Lossless that is
// not read brings the store to a halt once the backlog is full.
type Subscription struct {
	feed *feed
	mode Mode
	done bool
	from *Snapshot // where it started, until the first Next

	// Guarded by feed.mu.
	at     *commit   // the last link that was returned; nil if off the chain
	seen   *Snapshot // Latest: what the changes so far lead to
	behind *lagging  // EveryChange: what waits while it is off the chain
	lag    Lag
	onLag  func(Lag)
	next   uint64 // what the changes returned last lead to, as commit.seq
	taken  uint64 // what the subscriber is done with
}

// Subscribe starts a subscription at this instant.
func (s *Store) Subscribe(mode Mode) *Subscription {
	f := &s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	sub := &Subscription{feed: f, mode: mode, at: f.head, from: f.snapshot, taken: f.head.seq, next: f.head.seq}
	if mode == Latest {
		sub.seen = f.snapshot
	}
	f.subs[sub] = struct{}{}
	return sub
}

// Snapshot returns the snapshot that the changes continue. It is there until
// the first Next, nil after: the subscription holds on to it no longer.
func (s *Subscription) Snapshot() *Snapshot { return s.from }

// OnLag makes f be called each time the subscriber of EveryChange falls behind, on
// the goroutine that calls Apply: it must be quick and must not call Apply. It is
// set before the first Next.
func (s *Subscription) OnLag(f func(Lag)) {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	s.onLag = f
}

// Lag returns how the subscriber keeps up; it stays zero in other modes than
// EveryChange. Any goroutine may call it.
func (s *Subscription) Lag() Lag {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	return s.lag
}

// Next waits for changes, and returns those of one batch or one list, or with
// Latest, or after falling behind, all there are. Calling it says that those
// returned before are done with. They are shared: they must not be written to.
//
// Errors: the cause of ctx; ErrClosed.
func (s *Subscription) Next(ctx context.Context) ([]Change, error) {
	for {
		more, err := s.settle()
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
		if changes, _ := s.take(1); len(changes) > 0 {
			return changes, nil
		}
	}
}

// Ready returns a channel that is closed when there is something to take, or the
// subscription is closed. Calling it says that the changes returned before are
// done with.
func (s *Subscription) Ready() <-chan struct{} {
	more, err := s.settle()
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

// CatchUp returns what has come without waiting for more, and the snapshot that
// it leads to: until the next call the subscriber is at that instant. One that has
// fallen behind is given its backlog first, and is at the store's instant only
// after the next call. Calling it says that the changes returned before are done
// with.
//
// Errors: ErrClosed.
func (s *Subscription) CatchUp() ([]Change, *Snapshot, error) {
	if _, err := s.settle(); err != nil {
		return nil, nil, err
	}
	changes, now := s.take(math.MaxInt)
	return changes, now, nil
}

// settle notes that what was returned is done with, and returns the channel
// that tells of more; nil if the subscriber is off the chain, as there is more
// then.
func (s *Subscription) settle() (<-chan struct{}, error) {
	if s.done {
		return nil, ErrClosed
	}
	s.from = nil // the first state may go now
	f := s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.taken != s.next {
		s.taken = s.next
		f.moved.Broadcast()
	}
	if s.at == nil {
		return nil, nil
	}
	return s.at.more, nil
}

// take returns what has come, of at most so many links of the chain, and the
// snapshot that all there is leads to.
func (s *Subscription) take(links int) ([]Change, *Snapshot) {
	if s.mode == Latest {
		return s.takeLatest()
	}
	f := s.feed
	f.mu.Lock()
	l, now := s.behind, f.snapshot
	if l != nil && len(l.held) == 0 { // back on the chain
		s.behind, s.at, s.next, s.lag.Behind = nil, f.head, f.head.seq, false
		f.mu.Unlock()
		return l.changes(now), now
	}
	defer f.mu.Unlock()
	var some [][]Change
	if l != nil {
		n := min(links, len(l.held))
		some, l.held, now = l.held[:n], l.held[n:], l.base
		for _, changes := range some {
			s.next += uint64(len(changes))
		}
	} else {
		for ; s.at != f.head && len(some) < links; s.at = s.at.after {
			some = append(some, s.at.after.changes)
		}
		s.next = s.at.seq
	}
	if len(some) == 1 {
		return some[0], now
	}
	return slices.Concat(some...), now
}

// takeLatest returns what became of each object since it was called last.
func (s *Subscription) takeLatest() ([]Change, *Snapshot) {
	f := s.feed
	f.mu.Lock()
	from, at, now, head := s.seen, s.at, f.snapshot, f.head
	s.seen, s.at, s.next = now, head, head.seq
	f.mu.Unlock()
	if at == nil {
		return difference(from, now), now
	}
	var links [][]Change
	for at != head {
		at = at.after
		links = append(links, at.changes)
	}
	return fold(links), now
}

// Pending returns how many changes wait to be taken, those returned last
// included. Some of them may be folded into others, save with Lossless.
func (s *Subscription) Pending() int {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	if _, open := s.feed.subs[s]; !open {
		return 0
	}
	return int(s.feed.lagLocked(s))
}

// Close ends the subscription. It may be called more than once, on the
// goroutine that owns the subscription.
func (s *Subscription) Close() {
	s.done = true
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	delete(s.feed.subs, s)
	s.at, s.seen, s.from, s.behind = nil, nil, nil, nil
	s.feed.moved.Broadcast()
}
