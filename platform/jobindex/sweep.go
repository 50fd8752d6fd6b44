package jobindex

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
)

const (
	// sweepAtOnce is the number of jobs that one step of a sweep compares.
	sweepAtOnce = 2000
	// A sweep takes about sweepTime, if the pauses between steps can be within their
	// bounds.
	sweepTime     = 45 * time.Second
	shortestPause = 50 * time.Millisecond
	longestPause  = 5 * time.Second
)

// sweeper compares all jobs of the index with the database, repeatedly. It finds changes
// without a transition, and jobs that retention has removed.
type sweeper struct {
	reader *reader
	after  int64
	begun  bool
	next   time.Time
}

// suspect is an object that differs between the index and the database.
type suspect struct {
	id, version int64
	presence    uint8
	missing     bool // the database no longer has it
}

// explained reports whether the feed has already brought the index to the state of the
// suspect, or beyond. The transition of a suspect may still be in the feed: clients count
// by changes with their own positions, so it must come from the feed.
func (s *suspect) explained(t *table) bool {
	row, ok := t.find(s.id)
	return !s.missing && ok && (t.version[row] > s.version || t.version[row] == s.version && t.presence[row] == s.presence)
}

// due reports whether a step is due.
func (s *sweeper) due(now time.Time) bool { return !now.Before(s.next) }

// step makes one step, and returns the objects to check again after the feed is read.
func (s *sweeper) step(ctx context.Context, t *table) (objects []suspect, err error) {
	if !s.begun {
		s.after, s.begun = 0, true
		t.parity ^= swept
	}
	found, err := s.reader.versions(ctx, s.after, sweepAtOnce)
	if err != nil {
		return nil, err
	}
	for _, m := range found {
		row, ok := t.find(m.ID)
		if !ok || t.version[row] != m.Version || t.presence[row] != uint8(m.Presence) {
			objects = append(objects, suspect{m.ID, m.Version, uint8(m.Presence), false})
		}
		if ok {
			t.bit[row] = t.bit[row]&^swept | t.parity
		}
		s.after = m.ID
	}
	if len(found) < sweepAtOnce {
		s.begun = false
	}
	if !s.begun {
		for _, row := range t.order {
			if t.bit[row]&swept != t.parity {
				objects = append(objects, suspect{id: t.id[row], missing: true})
			}
		}
	}
	steps := time.Duration(t.len()/sweepAtOnce + 1)
	s.next = time.Now().Add(min(longestPause, max(shortestPause, sweepTime/steps)))
	return objects, nil
}

// eventsOf returns events of a sweep.
func eventsOf(objects []int64, at feed.Position) (events []event) {
	for _, id := range objects {
		events = append(events, event{object: id, position: at, kind: feed.Corrected})
	}
	return events
}
