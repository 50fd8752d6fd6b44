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
	parked   map[wire.Key]*reconcile // wait for their own writes, without a worker
	pending  pendingReasons
	missed   recentKeys

	limit   time.Duration // after which a reconcile should return
	overdue overdueTimer
}

// newOwnership returns an ownership of no keys. report is called when a reconcile may have
// become overdue.
func newOwnership(limit time.Duration, report func()) *ownership {
	return &ownership{limit: limit, overdue: overdueTimer{report: report}, inFlight: map[wire.Key]*reconcile{}, parked: map[wire.Key]*reconcile{}, pending: pendingReasons{}}
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
		s.pending.add(key, b.reasons[i])
		ours = append(ours, key)
	}
	return ours
}

func (s *ownership) addReason(key wire.Key, r Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending.add(key, r)
}

// begin starts a reconcile. It returns nil if this replica does not own the key.
func (s *ownership) begin(ctx context.Context, key wire.Key, id string, attempt int) *reconcile {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.pending.take(key)
	if !s.ownsLocked(key) {
		s.missed.add(key)
		return nil
	}
	r := &reconcile{
		key: key, id: id, attempt: attempt, start: time.Now(), token: s.token, reasons: of.last, more: of.more, done: make(chan struct{}),
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.due = r.start.Add(s.limit + returnTime)
	s.inFlight[key] = r
	s.overdue.await(r.due)
	return r
}

// end ends a reconcile. It reports whether the reconcile was overdue.
func (s *ownership) end(r *reconcile) (overdue bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.inFlight, r.key)
	r.cancel(nil)
	close(r.done)
	return r.overdue
}

// maxParked is the maximum number of keys for which a goroutine waits for their own writes.
const maxParked = 10_000

// park records that the key of a reconcile waits for its own writes. It returns false if too
// many keys wait, or if the key waits already.
func (s *ownership) park(r *reconcile) (parked, already bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.parked[r.key] != nil {
		return false, true
	}
	if len(s.parked) >= maxParked {
		return false, false
	}
	s.parked[r.key] = r
	return true, false
}

// unpark ends the wait of a key.
func (s *ownership) unpark(r *reconcile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.parked, r.key)
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
			time.AfterFunc(grace, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.cancelLocked(r, ErrNotOurs)
			})
		case grace > 0:
		default:
			s.cancelLocked(r, ErrNotOurs)
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
		s.cancelLocked(r, why)
	}
}

func (s *ownership) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
	s.overdue.stop()
}

// cancelLocked ends the context of a reconcile, which must return soon.
func (s *ownership) cancelLocked(r *reconcile, why error) {
	r.cancel(why)
	if due := time.Now().Add(returnTime); due.Before(r.due) {
		r.due = due
		s.overdue.await(r.due)
	}
}

// becomeOverdue marks the reconciles that have become overdue, and returns them.
func (s *ownership) becomeOverdue() (all []*reconcile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.overdue.fired()
	for _, r := range s.inFlight {
		switch {
		case r.overdue:
		case passed(r.due):
			r.overdue = true
			all = append(all, r)
		default:
			s.overdue.await(r.due)
		}
	}
	slices.SortFunc(all, oldestFirst)
	return all
}

// running returns the running reconciles, the oldest first.
func (s *ownership) running() (all []*reconcile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.inFlight {
		all = append(all, r)
	}
	slices.SortFunc(all, oldestFirst)
	return all
}
