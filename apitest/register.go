package apitest

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Register begins to serve a custom resource; clients see it in discovery at once. It may be called at any time, also
// while clients use the server.
//
// Errors: ErrType if the type is incomplete or invalid, or if its resource or kind is already served.
func (s *Server) Register(t Type) error {
	t, err := t.withDefaults()
	if err != nil {
		return err
	}
	if err := s.addTable(newCustomResource(t)); err != nil {
		return err
	}
	if t.schema != nil && t.schema.Rules() {
		s.cfg.Logger.Warn("apitest: the rules in x-kubernetes-validations are not evaluated", "definition", t.Resource+"."+t.Group)
	}
	return nil
}

// Unregister stops serving a custom resource, like the deletion of its definition: the objects are deleted with an
// event each, then the watches end, and later requests are answered 404.
//
// Errors: ErrUnknownType if it is not registered, or is built in.
func (s *Server) Unregister(gvr schema.GroupVersionResource) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[gvr]
	if t == nil || t.res.builtin() {
		return fmt.Errorf("%w: %s", ErrUnknownType, gvr)
	}
	for _, rev := range t.all() {
		if err := s.removeLocked(t, rev, nil); err != nil {
			return err
		}
	}
	delete(s.tables, gvr)
	delete(s.kinds, t.res.GroupVersionKind())
	t.end()
	return nil
}

// addTable adds a resource under its path and its kind.
func (s *Server) addTable(res *resource) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	gvr, gvk := res.GroupVersionResource(), res.GroupVersionKind()
	if s.tables[gvr] != nil || s.kinds[gvk] != nil {
		return fmt.Errorf("%w: %s is already registered", ErrType, gvk)
	}
	t := newTable(res, s.cfg.Window, s.version)
	s.tables[gvr], s.kinds[gvk] = t, t
	return nil
}

// served returns the types, sorted by group and plural.
func (s *Server) served() []*resource {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*resource, 0, len(s.tables))
	for _, t := range s.tables {
		all = append(all, t.res)
	}
	slices.SortFunc(all, compareResources)
	return all
}
