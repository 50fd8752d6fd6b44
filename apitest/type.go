package apitest

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Type describes a custom resource, as a CustomResourceDefinition would. It is served as JSON only (metadata also as
// protobuf), without a schema: nothing is pruned, defaulted or validated beyond the metadata.
type Type struct {
	// Group and Version name the API, such as "batch.example.com" and "v1". Both are required.
	Group, Version string
	// Kind is the kind of an object, such as "TrainingJob". Required; that of a list is Kind + "List".
	Kind string
	// Resource is the plural in the path, by default the lower-cased plural of Kind.
	Resource string
	// ShortNames are told by discovery, none by default.
	ShortNames []string
	// Categories are told by discovery, none by default; kubectl reads "all".
	Categories []string
	// Namespaced says that the objects live in namespaces; by default they belong to the cluster.
	Namespaced bool
	// Status says that the type has the status subresource: then the main resource ignores changes of the status, and
	// the subresource takes nothing else. By default the status is a field like any other.
	Status bool
	// SelectableFields are paths, such as "spec.queue", that field selectors may use besides metadata.name and
	// metadata.namespace; none by default. The selectors of other paths are answered 400.
	SelectableFields []string
}

// GroupVersionKind returns the kind of one object.
func (t Type) GroupVersionKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: t.Group, Version: t.Version, Kind: t.Kind}
}

// GroupVersionResource returns the resource as the path names it.
func (t Type) GroupVersionResource() schema.GroupVersionResource {
	if t.Resource == "" {
		plural, _ := meta.UnsafeGuessKindToResource(t.GroupVersionKind())
		return plural
	}
	return schema.GroupVersionResource{Group: t.Group, Version: t.Version, Resource: t.Resource}
}

// withDefaults fills in the plural and refuses a type that no path could name.
func (t Type) withDefaults() (Type, error) {
	if t.Kind == "" || t.Group == "" || t.Version == "" {
		return t, fmt.Errorf("%w: group, version and kind are required, got %q", ErrType, t.GroupVersionKind())
	}
	t.Resource = t.GroupVersionResource().Resource
	if problems := validation.IsDNS1123Subdomain(t.Group); len(problems) > 0 {
		return t, fmt.Errorf("%w: group %q: %s", ErrType, t.Group, strings.Join(problems, ", "))
	}
	for _, label := range []string{t.Version, t.Resource} {
		if problems := validation.IsDNS1035Label(label); len(problems) > 0 {
			return t, fmt.Errorf("%w: %q: %s", ErrType, label, strings.Join(problems, ", "))
		}
	}
	return t, nil
}

// Register begins to serve a custom resource; clients see it in discovery at once.
// It may be called at any time, also while clients are at work.
//
// Errors: ErrType if the type is incomplete, illegal, or its resource or kind is served already.
func (s *Server) Register(t Type) error {
	t, err := t.withDefaults()
	if err != nil {
		return err
	}
	return s.addTable(newCustomResource(t))
}

// Unregister ends the service of a custom resource, as the deletion of its definition does: the objects are deleted
// with an event each, then the watches end, and every later request is answered 404.
//
// Errors: ErrUnknownType if it is not registered, or built in.
func (s *Server) Unregister(gvr schema.GroupVersionResource) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tables[gvr]
	if t == nil || t.res.builtin() {
		return fmt.Errorf("%w: %s", ErrUnknownType, gvr)
	}
	for _, rev := range t.all() {
		if err := s.removeLocked(t, rev); err != nil {
			return err
		}
	}
	delete(s.tables, gvr)
	delete(s.kinds, t.res.GroupVersionKind())
	t.end()
	return nil
}

// addTable makes a resource known under its path and its kind.
func (s *Server) addTable(res *resource) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	gvr, gvk := res.GroupVersionResource(), res.GroupVersionKind()
	if s.tables[gvr] != nil || s.kinds[gvk] != nil {
		return fmt.Errorf("%w: %s is registered already", ErrType, gvk)
	}
	t := newTable(res, s.cfg.Window, s.version)
	s.tables[gvr], s.kinds[gvk] = t, t
	return nil
}
