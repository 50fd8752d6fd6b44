package store

import (
	"slices"

	"github.com/vedette-io/vedette/delta"
)

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

func (s *Store) scope(name delta.Scope) *scope {
	c := s.scopes[name]
	if c == nil {
		c = &scope{name: name}
		s.scopes[name] = c
	}
	return c
}
