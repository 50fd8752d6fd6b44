package apitest

import (
	"sort"
	"sync"

	"k8s.io/apimachinery/pkg/watch"
)

// event is one change of one type.
type event struct {
	kind    watch.EventType // Added, Modified or Deleted
	version uint64
	now     *revision // the state after the change; of a deletion the last state, at the version of the deletion
	before  *revision // the state before it, nil for Added

	once sync.Once
	gone *revision
	err  error
}

// deselected returns the revision for a watch whose selector no longer matches the object: the state before, at the
// version of the event.
func (e *event) deselected() (*revision, error) {
	e.once.Do(func() { e.gone, e.err = e.before.atVersion(e.version) })
	return e.gone, e.err
}

// window holds the latest events of a type in a ring. Events have sequence numbers. A reader is a cursor, which costs
// the window nothing; its next read fails if it was too slow.
type window struct {
	ring  []*event
	limit int
	first uint64 // number of the oldest event
	next  uint64 // number of the next event
	floor uint64 // version of the newest removed event: all later events are here
}

func (w *window) add(e *event) {
	if len(w.ring) < w.limit {
		w.ring = append(w.ring, e)
	} else {
		slot := &w.ring[w.next%uint64(w.limit)]
		if *slot != nil {
			w.floor = (*slot).version
			w.first++
		}
		*slot = e
	}
	w.next++
}

func (w *window) at(number uint64) *event { return w.ring[number%uint64(w.limit)] }

// read copies at most a number of events after a cursor; ok is false if the oldest of them was removed.
func (w *window) read(cursor uint64, most int) (events []*event, ok bool) {
	if cursor < w.first {
		return nil, false
	}
	for n := cursor; n < w.next && len(events) < most; n++ {
		events = append(events, w.at(n))
	}
	return events, true
}

// seek returns the cursor of the first event after a version; ok is false if an event after it may have been removed.
func (w *window) seek(version uint64) (cursor uint64, ok bool) {
	if version < w.floor {
		return 0, false
	}
	held := int(w.next - w.first)
	i := sort.Search(held, func(i int) bool { return w.at(w.first+uint64(i)).version > version })
	return w.first + uint64(i), true
}

// forget removes all events; version is the current version of the server.
func (w *window) forget(version uint64) {
	clear(w.ring)
	w.first, w.floor = w.next, version
}
