package store

import "encoding/binary"

// KeepObject makes the store keep the decoded object of an entry in place of its body. It
// is for stores with Config.KeepObject. Any goroutine may call it, but no function in
// Config and no index function. It waits for a batch that is being applied.
//
// It returns the object that the store keeps, which is another one if a caller was faster.
// ok is false if the store no longer has the entry: then it keeps nothing.
func (s *Store) KeepObject(e Entry, object any) (kept any, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, found := s.live.objects.Find(e)
	if !found || !s.arena.sums || !now.SameContent(e) {
		return object, false
	}
	switch kept := now.slab.object.(type) {
	case nil:
	case unusable:
		return object, false
	default:
		return kept, true
	}
	s.relocate(now, func(s *Store, e Entry) Entry {
		decoded := newStandalone(s.arena.withoutBody(e), nil, e.slab.columns)
		decoded.slab.hold(object, nil)
		return decoded
	})
	s.arena.free(now)
	s.compact(compactPerChange)
	s.publish()
	return object, true
}

// withoutBody encodes the record of an entry without its body in the scratch space.
func (a *arena) withoutBody(e Entry) encoded {
	rest, flags := e.bytes()
	h := e.header()
	head := len(rest) - len(skipColumns(h.rest, e.slab.columns))
	a.scratch = binary.AppendUvarint(append(a.scratch[:0], rest[:head]...), uint64(e.Len()))
	return encoded{flags: flags&^(formatMask<<formatShift) | byte(formatNone)<<formatShift, rest: a.scratch}
}
