package apitest

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vedette-io/vedette/internal/structural"
)

// Type describes a custom resource, as a CustomResourceDefinition would. It is served as JSON only (metadata also as
// protobuf). A type of ReadDefinitions has the schema of its definition; of other types, nothing is pruned, defaulted or
// validated beyond the metadata.
type Type struct {
	// Group and Version name the API, such as "batch.example.com" and "v1". Both are required.
	Group, Version string
	// Kind is the kind of an object, such as "TrainingJob". It is required.
	Kind string
	// ListKind is the kind of a list, by default Kind + "List".
	ListKind string
	// Resource is the plural in the path, by default the plural of Kind in lower case.
	Resource string
	// ShortNames are shown by discovery, none by default.
	ShortNames []string
	// Categories are shown by discovery, none by default; kubectl uses "all".
	Categories []string
	// Namespaced means that the objects are in namespaces; by default the type is cluster-scoped.
	Namespaced bool
	// Status means that the type has the status subresource. Then the main resource ignores changes of the status, and
	// the subresource ignores all other changes. By default the status is an ordinary field.
	Status bool
	// SelectableFields are paths, such as "spec.queue", that field selectors may use besides metadata.name and
	// metadata.namespace; none by default. Selectors with other paths are answered 400.
	SelectableFields []string

	schema *structural.Schema // of ReadDefinitions
}

// GroupVersionKind returns the kind of an object.
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

// withDefaults sets the plural, and rejects a type whose names are not valid in a path.
func (t Type) withDefaults() (Type, error) {
	if t.Kind == "" || t.Group == "" || t.Version == "" {
		return t, fmt.Errorf("%w: group, version and kind are required, got %q", ErrType, t.GroupVersionKind())
	}
	t.Resource = t.GroupVersionResource().Resource
	if t.ListKind == "" {
		t.ListKind = t.Kind + "List"
	}
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
