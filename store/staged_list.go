package store

import (
	"slices"

	"github.com/vedette-io/vedette/delta"
)

// stage adds a delta to the list that is arriving. Entries that the store already has are
// shared, so a list of unchanged objects needs no memory for records.
func (s *Store) stage(c *scope, d *delta.Delta) {
	rec := &d.Record
	had, ok := c.staged.seek(s.searchKey.set(rec.Key, -1, ""))
	if ok && c.order == delta.ByVersion && outdated(had, rec) {
		return
	}
	if d.Kind == delta.Delete {
		if ok {
			c.staged.Delete(had)
			s.release(had)
		}
		return
	}
	var e Entry
	kept := false
	old, live := s.find(rec.Key)
	if d.Kind != delta.Keep {
		e, kept = s.makeEntry(rec, c.staged, old)
	}
	if !kept {
		// The object exists, so the store keeps its last known state.
		if live && !ok && remains(old, rec) {
			c.staged.Set(old)
		}
		return
	}
	if ok && had == e {
		return
	}
	c.staged.Set(e)
	s.staged += int64(len(rec.Body))
	if ok {
		s.release(had)
	}
	s.trainIfDue(false)
}

// abandon drops a list that did not end.
func (s *Store) abandon(c *scope) {
	if c.staged == nil {
		return
	}
	s.unstage(c).Scan(func(e Entry) bool {
		s.release(e)
		return true
	})
}

// unstage removes the completed list from the scope and returns it.
func (s *Store) unstage(c *scope) *tree {
	staged := c.staged
	c.staged = nil
	if s.staging--; s.staging == 0 {
		s.staged = 0
	}
	return staged
}

// replace replaces the objects of the scope with the staged list, and records the
// changes: deletions first, then additions and updates.
func (s *Store) replace(c *scope, end *delta.Delta) {
	after := s.unstage(c)
	c.version = end.Version
	if c.inherited = s.inheritedVersions(c, end.Version); c.inherited != nil {
		c.version = c.inherited.lowest()
	}
	c.priorVersions = nil
	cause := Listed
	if !c.listed {
		cause, c.listed = Initial, true
	}
	var gone []Entry
	for old := range s.live.within(c.name) {
		if e, ok := after.Get(old); (!ok || !sameUID(e, old)) && !c.inherited.covers(old) {
			gone = append(gone, old)
		}
	}
	for _, old := range gone {
		s.remove(old)
		s.changes = append(s.changes, Change{Kind: Deleted, Cause: Listed, Old: old, Seen: end.Seen})
	}
	if s.live.objects.Len() == 0 && c.inherited == nil {
		s.adopt(after, cause, end)
	} else {
		s.merge(c, after, cause, end)
	}
	s.trainIfDue(true)
}

// adopt uses the staged tree as the table, because the table is empty.
func (s *Store) adopt(after *tree, cause Cause, end *delta.Delta) {
	var outdated []Entry // indexes were added after these were stored
	after.Scan(func(e Entry) bool {
		if e.slab.columns < len(s.extracts) {
			outdated = append(outdated, e)
		}
		return true
	})
	for _, e := range outdated {
		after.Set(s.rewrite(e))
		s.arena.free(e)
	}
	s.live.take(after)
	s.changes = slices.Grow(s.changes, after.Len())
	after.Scan(func(e Entry) bool {
		s.changes = append(s.changes, Change{Kind: Added, Cause: cause, New: e, Seen: end.Seen})
		return true
	})
}

// merge adds the entries of a list to the live entries. It skips namespaces that were
// separate scopes.
func (s *Store) merge(c *scope, after *tree, cause Cause, end *delta.Delta) {
	after.Scan(func(e Entry) bool {
		old, had := s.live.objects.Get(e)
		switch {
		case c.inherited.covers(e):
			s.release(e)
		case !had:
			e = s.install(e)
			s.changes = append(s.changes, Change{Kind: Added, Cause: cause, New: e, Seen: end.Seen})
		case old.SameContent(e):
			s.stats.Unchanged++
			if old != e {
				s.discard(e)
			}
		default:
			e = s.install(e)
			s.changes = append(s.changes, Change{Kind: Updated, Cause: Listed, Old: old, New: e, Seen: end.Seen})
		}
		return true
	})
}

// install makes a staged entry live. If indexes were added after it was staged, it is
// stored again with their values.
func (s *Store) install(e Entry) Entry {
	if e.slab.columns < len(s.extracts) {
		old := e
		e = s.rewrite(old)
		s.discard(old)
	}
	s.put(e)
	return e
}
