package controller

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// shift says which keys are this replica's to reconcile, until when, and knows the
// reconciles that run. Keys that are not its own it remembers for a while: should
// it get them, they are not lost.
type shift struct {
	mu      sync.Mutex
	mine    func(wire.Key) bool // nil: none
	token   uint64
	until   time.Time   // of what lease; zero: for ever
	timer   *time.Timer // ends the term at until; nil before the first
	running map[wire.Key]*run
	notes   map[wire.Key]*note
	missed  lately
}

// run is a reconcile that runs, or waits for its own writes.
type run struct {
	key     wire.Key
	id      string
	attempt int
	began   time.Time
	token   uint64
	reasons []Reason
	more    int
	ctx     context.Context
	cancel  context.CancelCauseFunc
	ended   chan struct{}

	// Under the lock of the shift:
	waiting bool // for own writes
	going   bool // its context ends after a grace
}

// note is why a key waits.
type note struct {
	reasons []Reason
	more    int
}

func newShift() *shift {
	return &shift{running: map[wire.Key]*run{}, notes: map[wire.Key]*note{}}
}

func everything(wire.Key) bool { return true }

// own reports whether a key is this replica's now. The lock is held.
func (s *shift) own(key wire.Key) bool { return s.mine != nil && s.mine(key) && !past(s.until) }

// past reports whether a time has come: by the clock that goes on while this
// machine stands still, or by the one that does not, whichever is later.
func past(until time.Time) bool {
	now := time.Now()
	return !until.IsZero() && (!now.Before(until) || !now.Round(0).Before(until.Round(0)))
}

// take notes the reasons of those keys of a batch that are this replica's, and
// returns them.
func (s *shift) take(b batch) []wire.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	ours := make([]wire.Key, 0, len(b.keys))
	for i, key := range b.keys {
		if !s.own(key) {
			if b.reasons[i].Cause != Initial { // those are found again
				s.missed.add(key)
			}
			continue
		}
		s.noteLocked(key, b.reasons[i])
		ours = append(ours, key)
	}
	return ours
}

func (s *shift) note(key wire.Key, r Reason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteLocked(key, r)
}

func (s *shift) noteLocked(key wire.Key, r Reason) {
	n := s.notes[key]
	if n == nil {
		n = &note{}
		s.notes[key] = n
	}
	if len(n.reasons) == maxReasons {
		n.reasons = slices.Delete(n.reasons, 0, 1)
		n.more++
	}
	n.reasons = append(n.reasons, r)
}

// begin begins a reconcile; nil if the key is not this replica's.
func (s *shift) begin(ctx context.Context, key wire.Key, id string, attempt int) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.notes[key]
	delete(s.notes, key)
	if !s.own(key) {
		s.missed.add(key)
		return nil
	}
	r := &run{key: key, id: id, attempt: attempt, began: time.Now(), token: s.token, ended: make(chan struct{})}
	if n != nil {
		r.reasons, r.more = n.reasons, n.more
	}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	s.running[key] = r
	return r
}

func (s *shift) end(r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, r.key)
	r.cancel(nil)
	close(r.ended)
}

func (s *shift) setWaiting(r *run, waiting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.waiting = waiting
}

// extend makes keys this replica's until a time, and returns those of them that
// were missed lately.
func (s *shift) extend(mine func(wire.Key) bool, token uint64, until time.Time) []wire.Key {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mine, s.token = mine, token
	s.untilLocked(until)
	return s.missed.take(mine)
}

// renewed lets the term last until a later time, unless it is over: then it
// reports false.
func (s *shift) renewed(until time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if past(s.until) {
		s.narrowLocked(nil, 0)
		return false
	}
	s.untilLocked(until)
	return true
}

func (s *shift) untilLocked(until time.Time) {
	s.until = until
	switch {
	case until.IsZero():
	case s.timer == nil:
		s.timer = time.AfterFunc(time.Until(until), s.lapse)
	default:
		s.timer.Reset(time.Until(until))
	}
}

// lapse ends the term if its time has come.
func (s *shift) lapse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.until.IsZero() && past(s.until) {
		s.narrowLocked(nil, 0)
	}
}

// narrow gives up all keys but some, and returns the reconciles of the others that
// run: their contexts end after a grace.
func (s *shift) narrow(mine func(wire.Key) bool, grace time.Duration) leaving {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.narrowLocked(mine, grace)
}

func (s *shift) narrowLocked(mine func(wire.Key) bool, grace time.Duration) leaving {
	s.mine = mine
	var l leaving
	for key, r := range s.running {
		switch {
		case mine != nil && mine(key):
			continue
		case grace > 0 && !r.going:
			r.going = true
			time.AfterFunc(grace, func() { r.cancel(ErrNotOurs) })
		case grace > 0:
		default:
			r.cancel(ErrNotOurs)
		}
		l = append(l, r.ended)
	}
	return l
}

// cancelAll ends the contexts of all reconciles.
func (s *shift) cancelAll(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.running {
		r.cancel(why)
	}
}

func (s *shift) stopTimer() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.timer != nil {
		s.timer.Stop()
	}
}

// leaving are reconciles that are to end.
type leaving []chan struct{}

// wait waits for them until a time or until ctx is done, and reports whether they
// have ended.
func (l leaving) wait(ctx context.Context, until time.Time) bool {
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

// join waits until they have ended.
func (l leaving) join() {
	for _, ended := range l {
		<-ended
	}
}

// lately are keys of the last while: at least lateness, at most twice that; and at
// most twice latelyMost.
type lately struct {
	now, before map[wire.Key]struct{}
	since       time.Time
}

const (
	lateness   = 10 * time.Minute
	latelyMost = 100_000
)

func (l *lately) add(key wire.Key) {
	if l.now == nil || len(l.now) >= latelyMost || time.Since(l.since) > lateness {
		l.now, l.before, l.since = map[wire.Key]struct{}{}, l.now, time.Now()
	}
	l.now[key] = struct{}{}
}

// take takes out the keys that are chosen.
func (l *lately) take(chosen func(wire.Key) bool) (keys []wire.Key) {
	for _, m := range []map[wire.Key]struct{}{l.now, l.before} {
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
