package store

import "github.com/vedette-io/vedette/delta"

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
			same = same && c != nil && c.version == r.version && c.listed == r.listed
		}
		if same {
			return shown
		}
	}
	now := make([]scopeState, 0, len(s.scopes))
	for _, c := range s.scopes {
		now = append(now, scopeState{c.name, c.version, c.listed})
	}
	return now
}

func sameScopes(a, b []scopeState) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
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

// put stores an entry; the next snapshot shows it.
func (s *Store) put(e Entry) {
	if old, had := s.live.put(e); had && old != e {
		s.discard(old)
	}
}

func (s *Store) remove(e Entry) {
	s.live.remove(e)
	s.discard(e)
}

// publish makes the changes since its last call visible: first the snapshot, then the
// changes.
func (s *Store) publish() {
	shown := s.current.Load()
	next := &Snapshot{origin: s.origin, table: shown.table, transient: shown.transient, synced: shown.synced || s.complete()}
	if len(s.changes) > 0 || s.moved || next.synced != shown.synced || s.inPlace {
		next.table, next.transient = s.live.share()
	}
	next.scopes, next.held = s.scopeStates(shown.scopes), int64(s.arena.size)
	if len(s.changes) == 0 && !s.moved && !s.inPlace && next.synced == shown.synced && sameScopes(next.scopes, shown.scopes) {
		return
	}
	// Publish the view first: a reader that has seen the new snapshot, or waited for it,
	// then finds it in every later view.
	s.group.set(s.slot, next)
	s.current.Store(next)
	s.fellBehind = append(s.fellBehind, s.chain.append(next, s.changes)...)
	s.changes, s.moved = nil, false // the chain owns the changes now
	if s.inPlace {
		s.inPlace = false
		s.origin.changing.Unlock()
	}
	if next.synced && !shown.synced {
		close(s.synced)
	}
	s.waiters.wake(next)
}

// beginInPlace lets the writer modify the current snapshot, if it may: no reader has it, and
// no subscriber needs it. From then until publish, readers wait for the next snapshot. So
// the writer may neither call functions of the user nor do anything that takes long; it
// calls endInPlace first.
func (s *Store) beginInPlace() {
	if !s.single || s.inPlace || s.chain.overflows() {
		return
	}
	s.origin.changing.Lock()
	if s.inPlace = s.live.reclaim(s.current.Load().transient); !s.inPlace {
		s.origin.changing.Unlock()
	}
}

// endInPlace publishes the changes so far, if readers wait for them.
func (s *Store) endInPlace() {
	if s.inPlace {
		s.publish()
	}
}
