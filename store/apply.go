package store

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/delta"
)

// Apply applies a batch. It publishes one snapshot for the whole batch, or one before and
// one after each list that the batch completes. It keeps no memory of the batch. Only one
// goroutine may call it.
//
// Errors: the cause of ctx, if ctx ends while Apply waits for a subscriber. In this case
// a part of the batch has been applied, and the store must not be written to again. A
// *PanicError if Config.Panics is StopOnPanic and a function panicked.
func (s *Store) Apply(ctx context.Context, batch delta.Batch) error {
	for len(batch) > 0 {
		if err := s.chain.waitForRoom(ctx); err != nil {
			return err
		}
		n, fell, err := s.applySegment(batch)
		s.chain.notify(fell)
		if err != nil {
			return err
		}
		batch = batch[n:]
	}
	return nil
}

// applySegment applies deltas up to the end of a list and publishes the result. It returns
// the number of deltas, the subscribers that fell behind, and the panic that ends Apply.
func (s *Store) applySegment(batch delta.Batch) (n int, fell []*cursor, err error) {
	s.origin.wrote.Store(int64(time.Since(epoch)))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.single = len(batch) == 1
	n = s.applyDeltas(batch)
	s.compact(compactPerChange * (len(s.changes) + 1))
	s.publish()
	fell, s.fellBehind = s.fellBehind, nil
	return n, fell, s.panics.fatal
}

// applyDeltas applies deltas. It stops before and after the end of a list, because the
// list becomes visible separately from the changes before it.
func (s *Store) applyDeltas(batch delta.Batch) int {
	for i := range batch {
		d := &batch[i]
		if d.Kind == delta.End && len(s.changes) > 0 {
			return i
		}
		sc := s.scope(d.Scope)
		sc.order = max(sc.order, d.Order)
		switch {
		case d.Kind == delta.Begin:
			s.abandon(sc)
			sc.staged = newTree()
			s.staging++
		case d.Kind == delta.End && sc.staged != nil:
			s.replace(sc, d)
			return i + 1
		case d.Kind == delta.End: // an End without a Begin replaces nothing
		case d.Kind == delta.Abandon:
			s.abandon(sc)
		case d.Kind == delta.Leave:
			s.leave(sc)
		case d.Kind == delta.Bookmark:
			sc.advance(d.Version)
		case sc.staged != nil:
			s.stage(sc, d)
		default:
			s.applyEvent(sc, d)
			sc.advance(d.Version)
			s.trainIfDue(false)
		}
	}
	return len(batch)
}

// applyEvent applies one event of a watch.
func (s *Store) applyEvent(sc *scope, d *delta.Delta) {
	rec := &d.Record
	old, had := s.find(rec.Key)
	same := had && old.sameObject(rec)
	if sc.stale(d, old, had) {
		s.stats.Stale++
		return
	}
	if d.Kind == delta.Delete {
		switch {
		case !had:
			s.stats.Stale++
		case same && d.Err == nil:
			last := s.lastState(rec)
			s.beginInPlace()
			s.remove(old)
			s.changes = append(s.changes, Change{Kind: Deleted, Old: old, New: last, Seen: d.Seen})
		default:
			// Either the last state is unusable, or the delta deletes a later object
			// with the same name: then the known object was deleted earlier.
			s.beginInPlace()
			s.remove(old)
			s.changes = append(s.changes, Change{Kind: Deleted, Old: old, Seen: d.Seen})
		}
		return
	}
	var e Entry
	kept := false
	if d.Kind != delta.Keep {
		e, kept = s.makeEntry(rec, s.live.objects, old)
	}
	if kept && had && e == old {
		s.stats.Unchanged++
		return
	}
	if had && !same && (kept || !remains(old, rec)) {
		s.beginInPlace()
		s.remove(old)
		s.changes = append(s.changes, Change{Kind: Deleted, Old: old, Seen: d.Seen})
	}
	if !kept {
		return
	}
	s.beginInPlace()
	s.put(e)
	if same {
		s.changes = append(s.changes, Change{Kind: Updated, Old: old, New: e, Seen: d.Seen})
	} else {
		s.changes = append(s.changes, Change{Kind: Added, New: e, Seen: d.Seen})
	}
}
