package store

import (
	"context"
	"errors"
)

// ErrClosed is returned by Next of a subscription that was closed.
var ErrClosed = errors.New("subscription is closed")

// Mode says what a subscriber is told.
type Mode uint8

const (
	// EveryChange: each change once and in order. Who lags by the backlog makes
	// the store wait, and through it the server.
	EveryChange Mode = iota + 1
	// Latest: what became of each object since the subscriber looked last.
	// Changes of one object in between are folded into one, and an object that
	// came and went is left out. Who lags holds up nobody, and costs at most the
	// difference between two snapshots.
	Latest
)

// String returns the name of the mode.
func (m Mode) String() string {
	switch m {
	case EveryChange:
		return "EveryChange"
	case Latest:
		return "Latest"
	}
	return "Mode(?)"
}

// Subscription is a cursor in the changes of a store. It belongs to one
// goroutine. Who is done with it closes it: an open one of every change that is
// not read brings the store to a halt once the backlog is full.
type Subscription struct {
	feed *feed
	mode Mode
	done bool
	from *Snapshot // where it started, until the first Next

	// Guarded by feed.mu; at is read without by its owner where the mode is
	// EveryChange, as nobody else writes it then.
	at    *commit   // the last link that was returned; nil if cut loose
	seen  *Snapshot // Latest: what the changes so far lead to
	next  uint64    // what the changes returned last lead to, as commit.seq
	taken uint64    // what the subscriber is done with
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

// Next waits for changes, and returns those of one batch or one list, or with
// Latest all there are. Calling it says that those returned before are done
// with. They are shared: they must not be written to.
//
// Errors: the cause of ctx; ErrClosed.
func (s *Subscription) Next(ctx context.Context) ([]Change, error) {
	for {
		more, err := s.settle()
		if err != nil {
			return nil, err
		}
		if more == nil {
			changes, _ := s.takeLatest()
			if len(changes) > 0 {
				return changes, nil
			}
			continue
		}
		select {
		case <-more:
		default:
			select {
			case <-more:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		if s.mode == EveryChange {
			return s.takeOne(), nil
		}
		if changes, _ := s.takeLatest(); len(changes) > 0 {
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
// it leads to: until the next call the subscriber is at that instant. Calling it
// says that the changes returned before are done with.
//
// Errors: ErrClosed.
func (s *Subscription) CatchUp() ([]Change, *Snapshot, error) {
	if _, err := s.settle(); err != nil {
		return nil, nil, err
	}
	if s.mode == Latest {
		changes, now := s.takeLatest()
		return changes, now, nil
	}
	f := s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []Change
	for s.at != f.head {
		s.at = s.at.after
		all = append(all, s.at.changes...)
	}
	s.next = s.at.seq
	return all, f.snapshot, nil
}

// settle notes that what was returned is done with, and returns the channel
// that tells of more; nil if the subscriber was cut loose, as there is more
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

// takeOne goes on by one link.
func (s *Subscription) takeOne() []Change {
	s.at = s.at.after
	s.next = s.at.seq
	return s.at.changes
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
// included. With Latest some of them may be folded into others.
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
	s.at, s.seen, s.from = nil, nil, nil
	s.feed.moved.Broadcast()
}
