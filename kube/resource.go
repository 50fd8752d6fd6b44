package kube

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Scope determines whether the objects of a type belong to namespaces.
type Scope uint8

const (
	// ClusterScoped objects belong to no namespace.
	ClusterScoped Scope = iota
	// Namespaced objects belong to one namespace each.
	Namespaced
)

// Resource is a type that a server serves, in one version.
type Resource struct {
	Group, Version string
	// Name is the plural name, as in URL paths: "pods".
	Name string
	Kind string
	// Singular and ShortNames are alternative names.
	Singular   string
	ShortNames []string
	Scope      Scope
	Verbs      []string
	// Subresources are the last parts of their paths, such as "status" and "scale", in
	// alphabetical order. Types that discovery has not found, such as the built-in types
	// before the first discovery, have none here.
	Subresources []string
}

// String returns the name with its group, in the syntax of kubectl: "pods", "jobs.batch".
func (r Resource) String() string {
	if r.Group == "" {
		return r.Name
	}
	return r.Name + "." + r.Group
}

func (r *Resource) groupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: r.Group, Version: r.Version}
}

// APIVersion returns the group and version: "v1", "batch/v1".
func (r Resource) APIVersion() string {
	return schema.GroupVersion{Group: r.Group, Version: r.Version}.String()
}

// kind returns the group, version and kind of the type's objects.
func (r Resource) kind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
}

// Can reports whether the server offers a verb, such as "watch", for the type.
func (r Resource) Can(verb string) bool { return slices.Contains(r.Verbs, verb) }

// HasSubresource reports whether the server serves a subresource, such as "scale", of the
// type, as far as discovery knows.
func (r Resource) HasSubresource(name string) bool { return slices.Contains(r.Subresources, name) }

// hasName reports whether name is one of the resource's names.
func (r *Resource) hasName(name string) bool {
	return name == r.Name || name == r.Singular || strings.EqualFold(name, r.Kind) || slices.Contains(r.ShortNames, name)
}

// path returns the path of the collection below the address of the server.
func (r *Resource) path(namespace string) []string {
	path := []string{"apis", r.Group, r.Version}
	if r.Group == "" {
		path = []string{"api", r.Version}
	}
	if namespace != "" {
		path = append(path, "namespaces", namespace)
	}
	return append(path, r.Name)
}
