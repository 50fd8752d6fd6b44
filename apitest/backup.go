package apitest

import (
	"github.com/tidwall/btree"
)

// Backup copies all objects. restore puts the copy in the place of the objects, as when etcd is restored from a backup
// and the API servers restart: connections are reset, later changes are lost, and the server gives their versions to
// other changes. A watch from a version that the server does not have is silent until it is reached. restore may be
// called several times.
//
// Errors of restore: those of Available.
func (s *Server) Backup() (restore func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	version, copies := s.version, map[*table]*btree.Map[string, *revision]{}
	for _, t := range s.tables {
		copies[t] = t.rows.Copy()
	}
	return func() error {
		s.Unavailable()
		s.restore(version, copies)
		return s.Available()
	}
}

// restore replaces the objects of all types. Types that were registered later have none.
func (s *Server) restore(version uint64, copies map[*table]*btree.Map[string, *revision]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
	for _, t := range s.tables {
		t.rows = btree.NewMap[string, *revision](32)
		if rows := copies[t]; rows != nil {
			t.rows = rows.Copy()
		}
		t.window.forget(version)
		t.notify()
	}
}
