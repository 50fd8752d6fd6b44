package controller

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// ownership tracks which keys this replica owns, until when, and which reconciles run. It
// remembers events of other replicas' keys for some time, so that they are not lost if this
// replica gets the keys.
type ownership struct {
	mu       sync.Mutex
	owns     func(wire.Key) bool // nil: none
	token    uint64
	deadline time.Time   // the end of the term; zero: no end
	timer    *time.Timer // ends the term at deadline; nil before the first term
	inFlight map[wire.Key]*reconcile
	pending  map[wire.Key]*pendingReasons
	missed   recentKeys
}

// reconcile is a reconcile that runs or waits for its own writes.
type reconcile struct {
	key     wire.Key
	id      string
	attempt int
	start   time.Time
	token   uint64
	reasons []Reason
	more    int
	ctx     context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{}

	// Guarded by ownership.mu:
	waiting bool // for its own writes
	revoked bool // its context ends after the grace period
}

// pendingReasons are the reasons for which a key waits.
type pendingReasons struct {
	reasons []Reason
	more    int
}

func newOwnership() *ownership {
	return &ownership{inFlight: map[wire.Key]*reconcile{}, pending: map[wire.Key]*pendingReasons{}}
}

func allKeys(wire.Key) bool { return true }

// ownsLocked reports whether this replica owns a key now. The caller holds mu.
func (s *ownership) ownsLocked(key wire.Key) bool {
	return s.owns != nil && s.owns(key) && !passed(s.deadline)
}

// accept stores the reasons of the keys in a batch that this replica owns, and returns
// these keys.
func (s *ownership) accept(b batch) []wire.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	ours := make([]wire.Key, 0, len(b.keys))
	for i, key := range b.keys {
		if !s.ownsLocked(key) {
			if b.reasons[i].Cause != Initial { // enqueueAll finds them again
				s.missed.add(key)
			}
			continue
		}
		s.addReasonLocked(key, b.reasons[i])
		ours = append(ours, key)
	}
	return ours
}

func (s *ownership) addReason(key wire.Key, r Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addReasonLocked(key, r)
}

func (s *ownership) addReasonLocked(key wire.Key, r Reason) {
	n := s.pending[key]
	if n == nil {
		n = &pendingReasons{}
		s.pending[key] = n
	}
	if len(n.reasons) == maxReasons {
		n.reasons = slices.Delete(n.reasons, 0, 1)
		n.more++
	}
	n.reasons = append(n.reasons, r)
}

// begin starts a reconcile. It returns nil if this replica does not own the key.
func (s *ownership) begin(ctx context.Context, key wire.Key, id string, attempt int) *reconcile {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.pending[key]
	delete(s.pending, key)
	if !s.ownsLocked(key) {
		s.missed.add(key)
		return nil
	}
	r := &reconcile{key: key, id: id, attempt: attempt, start: time.Now(), token: s.token, done: make(chan struct{})}
	if n != nil {
		r.reasons, r.more = n.reasons, n.more
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	s.inFlight[key] = r
	return r
}

func (s *ownership) end(r *reconcile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, r.key)
	r.cancel(nil)
	close(r.done)
}

func (s *ownership) setWaiting(r *reconcile, waiting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.waiting = waiting
}

// grant makes this replica the owner of keys until a time. It returns the recently missed
// keys among them.
func (s *ownership) grant(mine func(wire.Key) bool, token uint64, until time.Time) []wire.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owns, s.token = mine, token
	s.setDeadlineLocked(until)
	return s.missed.take(mine)
}

// extend moves the end of the term to a later time. If the term is already over, it revokes
// all keys and returns false.
func (s *ownership) extend(until time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if passed(s.deadline) {
		s.revokeLocked(nil, 0)
		return false
	}
	s.setDeadlineLocked(until)
	return true
}

func (s *ownership) setDeadlineLocked(until time.Time) {
	s.deadline = until
	switch {
	case until.IsZero():
	case s.timer == nil:
		s.timer = time.AfterFunc(time.Until(until), s.expire)
	default:
		s.timer.Reset(time.Until(until))
	}
}

// expire ends the term if its deadline has passed.
func (s *ownership) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.deadline.IsZero() && passed(s.deadline) {
		s.revokeLocked(nil, 0)
	}
}

// revoke gives up all keys except those for which mine returns true. It returns the running
// reconciles of the other keys, whose contexts end after the grace period.
func (s *ownership) revoke(mine func(wire.Key) bool, grace time.Duration) revoked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revokeLocked(mine, grace)
}

func (s *ownership) revokeLocked(mine func(wire.Key) bool, grace time.Duration) revoked {
	s.owns = mine
	var l revoked
	for key, r := range s.inFlight {
		switch {
		case mine != nil && mine(key):
			continue
		case grace > 0 && !r.revoked:
			r.revoked = true
			time.AfterFunc(grace, func() { r.cancel(ErrNotOurs) })
		case grace > 0:
		default:
			r.cancel(ErrNotOurs)
		}
		l = append(l, r.done)
	}
	return l
}

// cancelAll ends the contexts of all reconciles.
func (s *ownership) cancelAll(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.inFlight {
		r.cancel(why)
	}
}

func (s *ownership) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
}

// revoked are reconciles that have lost their keys and must end.
type revoked []chan struct{}

// wait waits until all have ended, but not after a time or after ctx is done. It reports
// whether they have ended.
func (l revoked) wait(ctx context.Context, until time.Time) bool {
	t := time.NewTimer(time.Until(until))
	defer t.Stop()
	for _, ended := range l {
		select {
		case <-ended:
		case <-t.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// join waits until all have ended.
func (l revoked) join() {
	for _, ended := range l {
		<-ended
	}
}

// recentKeys are the keys of the last recentKeysAge to twice recentKeysAge, at most twice
// maxRecentKeys.
type recentKeys struct {
	current, previous map[wire.Key]struct{}
	since             time.Time
}

const (
	recentKeysAge = 10 * time.Minute
	maxRecentKeys = 100_000
)

func (l *recentKeys) add(key wire.Key) {
	if l.current == nil || len(l.current) >= maxRecentKeys || time.Since(l.since) > recentKeysAge {
		l.current, l.previous, l.since = map[wire.Key]struct{}{}, l.current, time.Now()
	}
	l.current[key] = struct{}{}
}

// take removes and returns the chosen keys.
func (l *recentKeys) take(chosen func(wire.Key) bool) (keys []wire.Key) {
	for _, m := range []map[wire.Key]struct{}{l.current, l.previous} {
		for key := range m {
			if chosen(key) {
				delete(m, key)
				keys = append(keys, key)
			}
		}
	}
	slices.SortFunc(keys, wire.Key.Compare)
	return slices.Compact(keys)
}
