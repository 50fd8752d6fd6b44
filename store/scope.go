package store

import (
	"slices"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// scope is the progress of one list and watch.
type scope struct {
	name      delta.Scope
	order     delta.Order
	version   wire.Version
	listed    bool
	staged    *tree      // the list that is arriving, or nil
	inherited *inherited // nil if version applies to all namespaces

	// priorVersions has the versions of narrower scopes at the time when this scope was
	// added. If the first list is older than one of them, the server's versions went
	// back.
	priorVersions map[string]wire.Version
}

// inherited records the versions of those namespaces that a scope took over from narrower
// scopes. They are newer than the version from which the watch of the scope resumes.
type inherited struct {
	rest       wire.Version            // version of all other namespaces
	namespaces map[string]wire.Version // versions of the namespaces that were separate scopes
	highest    wire.Version
}

func (c *scope) advance(v wire.Version) {
	c.version = max(c.version, v)
	if c.inherited != nil && c.version >= c.inherited.highest {
		c.inherited = nil
	}
}

// hasSeen reports whether the store has seen all events up to a version. An event at or
// before that version about an absent object must be dropped, because it would restore an
// object that was deleted later.
func (c *scope) hasSeen(namespace string, v wire.Version) bool {
	if v == 0 || v <= c.version || c.inherited == nil {
		return v != 0 && v <= c.version
	}
	if own, ok := c.inherited.namespaces[namespace]; ok {
		return v <= own
	}
	return v <= c.inherited.rest
}

// startAt makes an unlisted scope start at the position of a scope that covers it.
func (c *scope) startAt(at *scope) {
	c.version, c.inherited, c.listed = at.version, at.inherited, true
}

// stale reports whether an event describes the past. By version, an event is stale if
// its version is not newer than the known one. By arrival, only the deletion of an
// absent object is stale: another object with the same name may have replaced it.
func (c *scope) stale(d *delta.Delta, old Entry, had bool) bool {
	if c.order == delta.ByArrival {
		return d.Kind == delta.Delete && (!had || !remains(old, &d.Record))
	}
	return had && !newer(old, &d.Record) || !had && c.hasSeen(d.Record.Namespace, d.Version)
}

// repeats reports whether an entry equals the known entry with the same key and UID. By
// version the caller has already checked this; by arrival only the bytes show it.
func (c *scope) repeats(old, e Entry) bool {
	return c.order == delta.ByArrival && sameContent(old, e)
}

// AddScope makes Synced wait for a first list of a scope. A scope that is not
// added becomes known with its first delta.
func (s *Store) AddScope(name delta.Scope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.scope(name); !c.listed {
		c.priorVersions = s.narrower(c)
	}
	s.publish()
}

// leave removes a scope. Scopes that it covers start at its position, unless they have
// been listed. The store drops the objects that no other scope covers.
func (s *Store) leave(c *scope) {
	s.abandon(c)
	delete(s.scopes, c.name)
	if _, ok := s.scopes[delta.Scope{Cluster: c.name.Cluster}]; ok {
		return // another scope covers all of this one
	}
	kept := map[string]bool{}
	for name, other := range s.scopes {
		if !c.name.Contains(name) {
			continue
		}
		kept[name.Namespace] = true
		if c.listed && !other.listed {
			other.startAt(c)
		}
	}
	for _, e := range slices.Collect(s.live.within(c.name)) {
		if kept[string(e.header().namespace)] {
			continue
		}
		s.remove(e)
		s.changes = append(s.changes, Change{Kind: Deleted, Cause: Unwatched, Old: e})
	}
}

// inheritedVersions returns the inherited versions of a scope whose first list is
// complete at a version while the store follows narrower scopes. It returns nil if there
// are none. The objects of the narrower scopes stay, because they come from a complete
// sequence of events; the list supplies the rest. By arrival, versions cannot show where
// the two meet, so the list replaces everything. The list also replaces a namespace that
// was at a later version before the list was requested: the server no longer has that
// version.
func (s *Store) inheritedVersions(c *scope, listed wire.Version) *inherited {
	if c.listed || c.name.Namespace != "" || c.order == delta.ByArrival {
		return nil
	}
	var a *inherited
	for namespace, version := range s.narrower(c) {
		if listed < c.priorVersions[namespace] {
			continue
		}
		if a == nil {
			a = &inherited{rest: listed, highest: listed, namespaces: map[string]wire.Version{}}
		}
		a.namespaces[namespace] = version
		a.highest = max(a.highest, version)
	}
	return a
}

// narrower returns the versions of the listed scopes that a scope contains.
func (s *Store) narrower(c *scope) map[string]wire.Version {
	versions := map[string]wire.Version{}
	for name, other := range s.scopes {
		if other != c && other.listed && c.name.Contains(name) {
			versions[name.Namespace] = other.version
		}
	}
	return versions
}

// lowest returns the latest version from which a watch misses no change in any namespace.
func (a *inherited) lowest() wire.Version {
	v := a.rest
	for _, own := range a.namespaces {
		v = min(v, own)
	}
	return v
}

// covers reports whether the namespace of an entry was a separate scope.
func (a *inherited) covers(e Entry) bool {
	if a == nil {
		return false
	}
	_, ok := a.namespaces[string(e.header().namespace)]
	return ok
}

func (s *Store) scope(name delta.Scope) *scope {
	c := s.scopes[name]
	if c == nil {
		c = &scope{name: name}
		s.scopes[name] = c
	}
	return c
}

// complete reports whether all scopes have been listed.
func (s *Store) complete() bool {
	for _, c := range s.scopes {
		if !c.listed {
			return false
		}
	}
	return len(s.scopes) > 0
}

// scopeStates returns the progress of all scopes. It returns shown itself if nothing has
// changed.
func (s *Store) scopeStates(shown []scopeState) []scopeState {
	if len(shown) == len(s.scopes) {
		same := true
		for _, r := range shown {
			c := s.scopes[r.scope]
			same = same && c != nil && c.version == r.version && c.listed == r.listed && c.order == r.order
		}
		if same {
			return shown
		}
	}
	now := make([]scopeState, 0, len(s.scopes))
	for _, c := range s.scopes {
		now = append(now, scopeState{c.name, c.version, c.listed, c.order})
	}
	return now
}

func sameScopes(a, b []scopeState) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// stage adds a delta to the list that is arriving. Entries that the store already has are
// shared, so a list of unchanged objects needs no memory for records.
func (s *Store) stage(c *scope, d *delta.Delta) {
	rec := &d.Record
	had, ok := c.staged.Get(s.searchKey.set(rec.Key, -1, ""))
	byVersion := c.order == delta.ByVersion
	if ok && byVersion && !newer(had, rec) {
		return
	}
	if d.Kind == delta.Delete {
		if ok {
			c.staged.Delete(had)
			s.release(had)
		}
		return
	}
	e, live := s.find(rec.Key)
	if d.Kind == delta.Keep || !live || !byVersion || !e.is(rec) {
		old := e
		kept := false
		if d.Kind != delta.Keep {
			e, kept = s.makeEntry(rec)
		}
		if !kept {
			// The object exists, so the store keeps its last known state.
			if live && !ok && remains(old, rec) {
				c.staged.Set(old)
			}
			return
		}
	}
	c.staged.Set(e)
	if ok {
		s.release(had)
	}
	s.trainIfDue(false)
}

// release frees a staged entry unless it is also live.
func (s *Store) release(e Entry) {
	if live, ok := s.live.objects.Get(e); !ok || live != e {
		s.discard(e)
	}
}

// discard frees an entry that is no longer live, unless an arriving list shares it.
func (s *Store) discard(e Entry) {
	if s.staging > 0 {
		h := e.header()
		name := delta.Scope{Cluster: string(h.cluster), Namespace: string(h.namespace)}
		if s.isStaged(name, e) || s.isStaged(delta.Scope{Cluster: name.Cluster}, e) {
			return
		}
	}
	s.arena.free(e)
}

func (s *Store) isStaged(name delta.Scope, e Entry) bool {
	c := s.scopes[name]
	if c == nil || c.staged == nil {
		return false
	}
	staged, ok := c.staged.Get(e)
	return ok && staged == e
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
	s.staging--
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
		case old == e || sameRevision(old, e) && (c.order == delta.ByVersion || sameContent(old, e)):
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
