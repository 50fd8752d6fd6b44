package store

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned by Next of a subscription that was closed.
var ErrClosed = errors.New("subscription is closed")

// commit is one link of the chain of changes. Subscribers hold on to the link
// they have reached, so a link that all have passed is garbage by itself.
type commit struct {
	seq     uint64 // changes up to and with this link
	changes []Change
	after   *commit       // set before more is closed
	more    chan struct{} // closed when there is a link after this
}

// feed is the chain, and how far each subscriber has come.
type feed struct {
	backlog int

	mu       sync.Mutex
	moved    sync.Cond // a subscriber went on, or away
	head     *commit
	snapshot *Snapshot                // what head led to
	subs     map[*Subscription]uint64 // changes taken, as commit.seq
}

func (f *feed) init(first *Snapshot, backlog int) {
	f.backlog = backlog
	f.moved.L = &f.mu
	f.subs = map[*Subscription]uint64{}
	f.snapshot = first
	f.head = &commit{more: make(chan struct{})}
}

// room waits until the slowest subscriber has less than the backlog before it.
func (f *feed) room(ctx context.Context) error {
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

func (f *feed) fullLocked() bool {
	for _, taken := range f.subs {
		if f.head.seq-taken >= uint64(f.backlog) {
			return true
		}
	}
	return false
}

// append adds a link for what led to snapshot, if that was anything. Without
// subscribers nobody will ever ask for its changes.
func (f *feed) append(snapshot *Snapshot, changes []Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.snapshot = snapshot
	if len(changes) == 0 {
		return
	}
	next := &commit{seq: f.head.seq + uint64(len(changes)), more: make(chan struct{})}
	if len(f.subs) > 0 {
		next.changes = changes
	}
	f.head.after = next
	close(f.head.more)
	f.head = next
}

// Subscription is a cursor in the changes of a store. It belongs to one
// goroutine. Who is done with it closes it: an open one that is not read
// brings the store to a halt once the backlog is full.
type Subscription struct {
	feed *feed
	at   *commit // the last link that was returned, or where it started
	from *Snapshot
	done bool
}

// Subscribe starts a subscription at this instant.
func (s *Store) Subscribe() *Subscription {
	f := &s.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	sub := &Subscription{feed: f, at: f.head, from: f.snapshot}
	f.subs[sub] = f.head.seq
	return sub
}

// Snapshot returns the snapshot that the changes continue. It is there until
// the first Next, nil after: the subscription holds on to it no longer.
func (s *Subscription) Snapshot() *Snapshot { return s.from }

// Next waits for the next changes, and returns those of one batch or one list.
// Calling it says that those returned before are done with. They are shared:
// they must not be written to.
//
// Errors: the cause of ctx; ErrClosed.
func (s *Subscription) Next(ctx context.Context) ([]Change, error) {
	if s.done {
		return nil, ErrClosed
	}
	s.from = nil // the first state may go now
	s.feed.taken(s)
	select {
	case <-s.at.more:
	default:
		select {
		case <-s.at.more:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	s.at = s.at.after
	return s.at.changes, nil
}

// Pending returns how many changes wait to be taken, those returned by the last
// Next included.
func (s *Subscription) Pending() int {
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	taken, open := s.feed.subs[s]
	if !open {
		return 0
	}
	return int(s.feed.head.seq - taken)
}

// Close ends the subscription. It may be called more than once, on the
// goroutine that owns the subscription.
func (s *Subscription) Close() {
	s.done = true
	s.feed.mu.Lock()
	defer s.feed.mu.Unlock()
	delete(s.feed.subs, s)
	s.feed.moved.Broadcast()
}

// taken notes that the subscriber is done with everything up to its link.
func (f *feed) taken(s *Subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.subs[s] == s.at.seq {
		return
	}
	f.subs[s] = s.at.seq
	f.moved.Broadcast()
}
