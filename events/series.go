package events

import (
	"container/list"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
)

// Bounds of series.
const (
	seriesIdle  = 6 * time.Minute // after which a series ends
	seriesEvery = time.Minute     // between two patches of a series
	maxSeries   = 4096            // that are remembered
	objectBurst = 25              // different Events of an object at once
	objectEvery = 5 * time.Minute // for one more
	maxAge      = time.Minute     // of an Event that could not be sent
)

// identity is what the Events of a series have in common.
type identity struct {
	regarding            corev1.ObjectReference
	kind, reason, action string
}

// series is one Event with its repetitions.
type series struct {
	id     identity
	event  eventsv1.Event // as it is sent next
	exists bool           // on the server
	count  int32          // occurrences
	sent   int32          // occurrences that the server has
	last   time.Time      // the last occurrence
	due    time.Time      // when it may be sent next
	since  time.Time      // the first failure since it was last sent; zero if it did not fail
	place  *list.Element  // in book.recent
}

// book is the state of a Publisher: pure, without a clock and without a lock.
type book struct {
	all      map[identity]*series
	recent   *list.List // *series, the one with the latest occurrence first
	spending map[corev1.ObjectReference]*allowance
}

// allowance bounds the Events of an object.
type allowance struct {
	left float64
	at   time.Time
}

func newBook() *book {
	return &book{all: map[identity]*series{}, recent: list.New(), spending: map[corev1.ObjectReference]*allowance{}}
}

// add notes an occurrence. It returns false if the object has too many Events. fill
// completes a new Event.
func (b *book) add(now time.Time, id identity, note string, fill func(*eventsv1.Event)) bool {
	s := b.all[id]
	if s != nil && now.Sub(s.last) >= seriesIdle {
		b.remove(s)
		s = nil
	}
	if s != nil {
		s.count++
		s.last = now
		b.recent.MoveToFront(s.place)
		return true
	}
	if !b.spend(now, id.regarding) {
		return false
	}
	s = &series{id: id, count: 1, last: now, due: now}
	fill(&s.event)
	s.event.Note = note
	s.place = b.recent.PushFront(s)
	b.all[id] = s
	for b.recent.Len() > maxSeries {
		b.remove(b.recent.Back().Value.(*series))
	}
	return true
}

// spend takes one Event from the allowance of an object.
func (b *book) spend(now time.Time, object corev1.ObjectReference) bool {
	object.ResourceVersion = ""
	a := b.spending[object]
	if a == nil {
		if len(b.spending) >= maxSeries {
			b.forgive(now)
		}
		if len(b.spending) >= maxSeries {
			return false
		}
		a = &allowance{left: objectBurst, at: now}
		b.spending[object] = a
	}
	a.left = min(objectBurst, a.left+float64(now.Sub(a.at))/float64(objectEvery))
	a.at = now
	if a.left < 1 {
		return false
	}
	a.left--
	return true
}

// forgive forgets the objects that may have objectBurst Events again.
func (b *book) forgive(now time.Time) {
	for object, a := range b.spending {
		if a.left+float64(now.Sub(a.at))/float64(objectEvery) >= objectBurst {
			delete(b.spending, object)
		}
	}
}

func (b *book) remove(s *series) {
	b.recent.Remove(s.place)
	if b.all[s.id] == s {
		delete(b.all, s.id)
	}
}

// next returns a series that is due, the one with the oldest occurrence first. If no series
// is due, it returns the time when the next one is due; zero if nothing is left to send. It
// removes series that have ended and are sent.
func (b *book) next(now time.Time) (due *series, at time.Time) {
	for e := b.recent.Back(); e != nil; {
		s := e.Value.(*series)
		e = e.Prev()
		switch {
		case s.count == s.sent:
			if now.Sub(s.last) >= seriesIdle {
				b.remove(s)
			}
		case !s.due.After(now):
			return s, now
		case at.IsZero() || s.due.Before(at):
			at = s.due
		}
	}
	return nil, at
}

// sent notes that the server has n occurrences of a series.
func (b *book) sent(now time.Time, s *series, n int32) {
	s.exists, s.sent, s.since = true, n, time.Time{}
	if s.due = now; n > 1 {
		s.due = now.Add(seriesEvery)
	}
}

// failed notes that a series could not be sent and may be sent after some time. It returns
// false if the series was given up.
func (b *book) failed(now time.Time, s *series, wait time.Duration) bool {
	if s.since.IsZero() {
		s.since = now
	}
	if now.Sub(s.since) >= maxAge {
		b.remove(s)
		return false
	}
	s.due = now.Add(wait)
	return true
}
