package scaffold

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/vedette-io/vedette/kube"
)

// Type is the type of the objects that the controller reconciles.
type Type struct {
	Group, Version, Kind string
	// Plural is the name in paths: "jobs".
	Plural string
	// Scope is Namespaced or Cluster, the words of a CustomResourceDefinition.
	Scope string
	// Import is the path of the Go package of a built-in type, and Alias its name in the
	// program; both are empty for a custom resource.
	Import, Alias string
}

// The forms of the parts of a type: a DNS subdomain, a version such as v1beta1, and the name
// of an exported Go type.
var (
	groupForm   = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$`)
	versionForm = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)
	kindForm    = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,62}$`)
)

// ParseType parses group/version/kind, such as "batch/v1/Job"; the core group has no name:
// "v1/Pod". clusterScoped is the scope of a custom resource.
//
// Errors: a part has an invalid form; no built-in type has this kind, and the group cannot be
// that of a custom resource.
func ParseType(text string, clusterScoped bool) (Type, error) {
	parts := strings.Split(text, "/")
	if len(parts) == 2 {
		parts = append([]string{""}, parts...)
	}
	if len(parts) != 3 || !versionForm.MatchString(parts[1]) || !kindForm.MatchString(parts[2]) {
		return Type{}, fmt.Errorf("the type %.80q is not of the form group/version/kind: write batch/v1/Job, v1/Pod or example.com/v1/TrainJob", text)
	}
	t := Type{Group: parts[0], Version: parts[1], Kind: parts[2]}
	if t.builtin() {
		return t, nil
	}
	if !groupForm.MatchString(t.Group) {
		return Type{}, fmt.Errorf("%.80q is not a built-in type, and its group cannot be that of a custom resource: use a group with a domain, such as example.com/v1/TrainJob", text)
	}
	plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Group: t.Group, Version: t.Version, Kind: t.Kind})
	t.Plural, t.Scope = plural.Resource, "Namespaced"
	if clusterScoped {
		t.Scope = "Cluster"
	}
	return t, nil
}

// builtin fills the fields of a built-in type, and reports whether t is one.
func (t *Type) builtin() bool {
	kind := schema.GroupVersionKind{Group: t.Group, Version: t.Version, Kind: t.Kind}
	r, ok := kube.BuiltinResource(kind)
	if !ok || !r.Can("watch") {
		return false
	}
	obj, err := scheme.Scheme.New(kind)
	if err != nil {
		return false
	}
	t.Plural = r.Name
	t.Import = reflect.TypeOf(obj).Elem().PkgPath()
	parts := strings.Split(t.Import, "/")
	t.Alias = parts[len(parts)-2] + parts[len(parts)-1]
	t.Scope = "Namespaced"
	if r.Scope == kube.ClusterScoped {
		t.Scope = "Cluster"
	}
	return true
}

// Custom reports whether the type is a custom resource.
func (t Type) Custom() bool { return t.Import == "" }

// Namespaced reports whether objects of the type are in namespaces.
func (t Type) Namespaced() bool { return t.Scope == "Namespaced" }

// Go is the Go type of an object.
func (t Type) Go() string {
	if t.Custom() {
		return t.Kind
	}
	return t.Alias + "." + t.Kind
}

// Resource is the name of the type for clients: "jobs.batch".
func (t Type) Resource() string { return strings.TrimSuffix(t.Plural+"."+t.Group, ".") }

// APIVersion is the group and the version.
func (t Type) APIVersion() string { return strings.TrimPrefix(t.Group+"/"+t.Version, "/") }

// Singular is the name of one object in the definition of a custom resource.
func (t Type) Singular() string { return strings.ToLower(t.Kind) }
