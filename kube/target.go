package kube

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/vedette-io/vedette/errcode"
)

// TypeConfig identifies the API type that a Go type stands for, if the Go type alone
// does not. The zero value works for the types of k8s.io/api, and for types that are
// registered in client-go's scheme.
type TypeConfig struct {
	// Resource names the type in the syntax of Cluster.Resolve: "pods", "jobs.batch",
	// "jobs.v1alpha1.batch.volcano.sh". It is required for unstructured.Unstructured
	// and metav1.PartialObjectMetadata.
	Resource string
	// GroupVersion is the group and version of the Go type: the variable
	// GroupVersion or SchemeGroupVersion of its package.
	GroupVersion schema.GroupVersion
	// Scheme maps Go types to kinds; default that of client-go.
	Scheme *runtime.Scheme
}

// Target names a type of objects and fixes what its objects must be. TargetOf returns
// the target of a Go type, Named the target of a name.
type Target struct {
	goType string   // for messages; "" if the target has only a name
	name   typeName // empty unless the caller gave one
	view   View
	// kinds lists the allowed kinds of the objects, if group and version are known.
	kinds []schema.GroupVersionKind
	// kind and version come from the Go type and are set if the group is unknown. The
	// version may be empty.
	kind, version string
}

// Named returns the target for the name of any type, in the syntax of Cluster.Resolve.
//
// Errors: errcode.Invalid.
func Named(name string) (Target, error) {
	n, err := parseTypeName(name)
	return Target{name: n}, err
}

// TargetOf returns the target of the Go type T. Requests use its group and version.
// These come from cfg.GroupVersion, else from the scheme, else from the package if T
// belongs to k8s.io/api, else from cfg.Resource. If none of them determines the group
// and version, T stands for the only kind on the server that has its name. If several
// kinds have it, such as the Job of the group batch and another one, or if only a kind of
// k8s.io/api has it, requests fail until cfg says more. If the name of T's package is a
// version, the kind must have that version.
//
// Errors: errcode.Invalid: T is not the struct of an API type, or T is a list, or cfg
// does not agree with T.
func TargetOf[T any](cfg TypeConfig) (Target, error) {
	t, obj := reflect.TypeFor[T](), any(new(T))
	if err := checkObject(t, obj); err != nil {
		return Target{}, err
	}
	target := Target{goType: t.String()}
	if cfg.Resource != "" {
		name, err := parseTypeName(cfg.Resource)
		if err != nil {
			return Target{}, err
		}
		target.name = name
	}
	if isUntyped(t) {
		return target.untyped(t, cfg)
	}
	if err := target.bind(t, obj, cfg); err != nil {
		return Target{}, err
	}
	return target, target.checkName()
}

// isUntyped reports whether a Go type can hold objects of any API type.
func isUntyped(t reflect.Type) bool {
	return t == reflect.TypeFor[unstructured.Unstructured]() || t == reflect.TypeFor[metav1.PartialObjectMetadata]()
}

func (t Target) untyped(of reflect.Type, cfg TypeConfig) (Target, error) {
	if of == reflect.TypeFor[metav1.PartialObjectMetadata]() {
		t.view = Metadata
	}
	if t.name.empty() {
		return t, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%v can hold any type of objects", of), Remedy: "name it in Resource"}
	}
	if gv := cfg.GroupVersion; !gv.Empty() {
		if !t.name.within(gv) {
			return t, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the Resource %q is not in the GroupVersion %v", t.name, gv)}
		}
		t.name.rest = gv.Version + "." + gv.Group
	}
	t.goType = ""
	return t, nil
}

// bind determines the kinds that objects must have.
func (t *Target) bind(of reflect.Type, obj any, cfg TypeConfig) error {
	kinds, err := kindsOf(cfg.Scheme, of, obj)
	if err != nil {
		return err
	}
	named := of.Name() != "" && !strings.Contains(of.Name(), "[")
	gv := cfg.GroupVersion
	switch {
	case !gv.Empty() && len(kinds) > 0:
		t.kinds = slices.DeleteFunc(kinds, func(k schema.GroupVersionKind) bool { return k.GroupVersion() != gv })
		if len(t.kinds) == 0 {
			return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%v is not of the GroupVersion %v", of, gv), Remedy: "leave it empty, or use the Go type of that version"}
		}
	case len(kinds) > 0:
		t.kinds = kinds
	case !gv.Empty() && t.name.empty() && named:
		t.kinds = []schema.GroupVersionKind{gv.WithKind(of.Name())}
	case !gv.Empty() && !t.name.empty():
		if !t.name.within(gv) {
			return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the Resource %q is not in the GroupVersion %v", t.name, gv)}
		}
		t.name.rest = gv.Version + "." + gv.Group
	}
	switch {
	case len(t.kinds) > 1 && t.name.empty():
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the scheme maps %v to several kinds: %v", of, t.kinds), Remedy: "name one in Resource or GroupVersion"}
	case len(t.kinds) == 0 && t.name.empty() && !named:
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the name of %v is not the name of a kind", of), Remedy: "name the type in Resource"}
	}
	if len(t.kinds) == 0 {
		t.kind = of.Name()
		if name, _, _ := strings.Cut(of.String(), "."); isVersion.MatchString(name) {
			t.version = name
		}
	}
	return nil
}

// isVersion matches an API version such as v1 or v1beta1.
var isVersion = regexp.MustCompile(`^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`)

// checkName returns an error if the name cannot belong to the Go type.
func (t Target) checkName() error {
	if t.name.empty() || len(t.kinds) == 0 {
		return nil
	}
	fits := func(k schema.GroupVersionKind) bool {
		r, builtin := BuiltinResource(k)
		return builtin && t.name.matches(&r) || !builtin && t.name.within(k.GroupVersion())
	}
	if slices.ContainsFunc(t.kinds, fits) {
		return nil
	}
	return t.mismatch(t.kinds[0])
}

// mismatch returns the error for a name that does not match the Go type.
func (t Target) mismatch(k schema.GroupVersionKind) error {
	return &errcode.Error{
		Code:    errcode.Invalid,
		Problem: fmt.Sprintf("the Resource %q does not name %s, which is %s %s", t.name, t.goType, k.GroupVersion(), k.Kind),
		Remedy:  "leave it empty, or use the Go type of that resource",
	}
}

// String returns a name that is unique for the version, if the version is known:
// "Pod.v1.", "Job.v1.batch". Otherwise it returns the name that the caller gave.
func (t Target) String() string {
	if len(t.kinds) == 1 {
		k := t.kinds[0]
		return k.Kind + "." + k.Version + "." + k.Group
	}
	n := t.name
	if n.empty() {
		n.name = t.kind
	}
	if version, _, _ := strings.Cut(n.rest, "."); t.version != "" && !isVersion.MatchString(version) {
		n.rest = strings.TrimSuffix(t.version+"."+n.rest, ".")
	}
	return n.String()
}

// Kind returns the kind of the objects. ok is false if only the server knows it.
func (t Target) Kind() (kind schema.GroupVersionKind, ok bool) {
	if len(t.kinds) != 1 {
		return kind, false
	}
	return t.kinds[0], true
}

// View returns Metadata for metav1.PartialObjectMetadata, and Full for all other types.
func (t Target) View() View { return t.view }

// checkObject rejects a type that is not the struct of an API type.
func checkObject(t reflect.Type, obj any) error {
	if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%v is a pointer", t), Remedy: fmt.Sprintf("use %v", t.Elem())}
	}
	_, object := obj.(metav1.Object)
	if _, list := obj.(metav1.ListInterface); list && !object {
		return &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%v is a list of objects", t), Remedy: fmt.Sprintf("use %s", itemOf(t))}
	}
	_, typed := obj.(interface{ GetObjectKind() schema.ObjectKind })
	if t.Kind() != reflect.Struct || !object || !typed {
		return &errcode.Error{
			Code:    errcode.Invalid,
			Problem: fmt.Sprintf("%v is not the struct of an API type", t),
			Remedy:  "use one that embeds metav1.TypeMeta and metav1.ObjectMeta, such as corev1.Pod",
		}
	}
	return nil
}

// itemOf returns the name of the list's item type.
func itemOf(list reflect.Type) string {
	if items, ok := list.FieldByName("Items"); ok && items.Type.Kind() == reflect.Slice {
		return items.Type.Elem().String()
	}
	return strings.TrimSuffix(list.String(), "List")
}

// kindsOf returns the kinds of a Go type: those registered in the scheme, or else the
// kind of its package if it belongs to k8s.io/api, or else none.
func kindsOf(s *runtime.Scheme, t reflect.Type, obj any) ([]schema.GroupVersionKind, error) {
	if s == nil {
		s = scheme.Scheme
	}
	if known, ok := obj.(runtime.Object); ok { // a scheme cannot contain a type without DeepCopyObject
		kinds, _, err := s.ObjectKinds(known)
		if err == nil {
			return slices.Clone(kinds), nil
		}
		if !runtime.IsNotRegisteredError(err) {
			return nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the scheme does not determine the kind of %v: %v", t, err), Remedy: "set GroupVersion"}
		}
	}
	path, builtin := strings.CutPrefix(t.PkgPath(), builtinPackages)
	if !builtin {
		return nil, nil
	}
	folder, version, _ := strings.Cut(path, "/")
	group, renamed := builtinGroups[folder]
	if !renamed {
		group = folder
	}
	return []schema.GroupVersionKind{{Group: group, Version: version, Kind: t.Name()}}, nil
}

// builtin returns the built-in type of the target, if the target states its version.
func (t Target) builtin() (Resource, bool) {
	if len(t.kinds) == 0 && t.name.rest == "" {
		return Resource{}, false
	}
	for _, r := range builtins() {
		if len(t.kinds) > 0 && !slices.Contains(t.kinds, r.kind()) || !t.name.empty() && !t.name.matches(&r) {
			continue
		}
		if len(t.kinds) == 1 || t.name.versioned(r.groupVersion()) {
			return r, true
		}
	}
	return Resource{}, false
}

// stable returns the built-in type for a name, in its first stable version. It is the
// best guess for a server on which discovery fails.
func (t Target) stable() (Resource, bool) {
	if t.goType != "" || t.name.empty() {
		return Resource{}, false
	}
	r, ok := t.name.find(builtins())
	return r, ok && !strings.Contains(r.Version, "alpha") && !strings.Contains(r.Version, "beta")
}

// within reports whether the target may belong to a group and version.
func (t Target) within(gv schema.GroupVersion) bool {
	if len(t.kinds) > 0 {
		return slices.ContainsFunc(t.kinds, func(k schema.GroupVersionKind) bool { return k.GroupVersion() == gv })
	}
	return t.name.within(gv)
}

// choose returns the type in table that the target refers to. It returns false if there
// is none. table must be in order of preference.
//
// Errors: errcode.Invalid: the name does not agree with the Go type, or the target is
// ambiguous.
func (t Target) choose(table []Resource) (Resource, bool, error) {
	switch {
	case len(t.kinds) > 0:
		return t.chooseKind(table)
	case t.goType == "":
		r, ok := t.name.find(table)
		return r, ok, nil
	}
	return t.chooseUnique(table)
}

// chooseKind chooses by group, version and kind, and then by name.
func (t Target) chooseKind(table []Resource) (Resource, bool, error) {
	var found []Resource
	for i := range table {
		if r := &table[i]; slices.Contains(t.kinds, r.kind()) && (r.Can("get") || r.Can("list") || r.Can("create")) {
			found = append(found, *r)
		}
	}
	if len(found) == 0 {
		return Resource{}, false, nil
	}
	if !t.name.empty() {
		k := found[0].kind()
		if found = slices.DeleteFunc(found, func(r Resource) bool { return !t.name.matches(&r) }); len(found) == 0 {
			return Resource{}, false, t.mismatch(k)
		}
	}
	return t.requireOne(found)
}

// chooseUnique chooses for a Go type whose group is unknown: exactly one type must have
// its name, in exactly one version. The types of k8s.io/api have Go types of their own,
// so the name alone never selects them.
func (t Target) chooseUnique(table []Resource) (Resource, bool, error) {
	var found, elsewhere []Resource
	for i := range table {
		r := &table[i]
		switch {
		case t.name.empty() && (r.Kind != t.kind || !r.Can("get")), !t.name.empty() && !t.name.matches(r):
		case t.version != "" && r.Version != t.version && !t.name.versioned(r.groupVersion()):
			elsewhere = append(elsewhere, *r)
		default:
			found = append(found, *r)
		}
	}
	if len(found) == 0 && len(elsewhere) > 0 {
		return Resource{}, false, &errcode.Error{
			Code:    errcode.Invalid,
			Problem: fmt.Sprintf("the server has %s, but not in version %s of the package of %s", listed(elsewhere), t.version, t.goType),
			Remedy:  "set GroupVersion to that of the Go type",
		}
	}
	core := func(r Resource) bool { return r.Group == "" && r.Name == t.name.String() }
	if slices.ContainsFunc(found, core) { // "pods" is the full name of a core type
		return t.requireOne(slices.DeleteFunc(found, func(r Resource) bool { return !core(r) }))
	}
	if len(found) > 0 && t.name.rest == "" && !slices.ContainsFunc(found, func(r Resource) bool { return !builtinGroup(r.Group) }) {
		return Resource{}, false, &errcode.Error{
			Code:    errcode.Invalid,
			Problem: fmt.Sprintf("the server has only the built-in %s, and %s is not its Go type", listed(found), t.goType),
			Remedy:  "set GroupVersion to that of the Go type, or install its definition",
		}
	}
	return t.requireOne(found)
}

// requireOne returns the only type in found, or an error if there are several.
func (t Target) requireOne(found []Resource) (Resource, bool, error) {
	switch len(found) {
	case 0:
		return Resource{}, false, nil
	case 1:
		return found[0], true, nil
	}
	return Resource{}, false, &errcode.Error{
		Code:    errcode.Invalid,
		Problem: fmt.Sprintf("%s is ambiguous: it may be one of %s", t.goType, listed(found)),
		Remedy:  "set GroupVersion to that of the Go type, or name one in Resource",
	}
}

// listed names types with their versions, in the syntax of TypeConfig.Resource.
func listed(types []Resource) string {
	var names []string
	for _, r := range types {
		names = append(names, r.Name+"."+r.Version+"."+r.Group)
	}
	return strings.Join(names, ", ")
}

// typeName is a name in the syntax of Resolve: NAME, NAME.GROUP or NAME.VERSION.GROUP.
type typeName struct{ name, rest string }

func parseTypeName(text string) (typeName, error) {
	name, rest, _ := strings.Cut(text, ".")
	err := checkSegment("name of the type", name)
	if err == nil && rest != "" {
		err = checkSegment("name of the type", rest)
	}
	if err == nil && strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		err = errors.New("it has a space or a control character")
	}
	if err != nil {
		return typeName{}, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("%.80q is not the name of a type: %v", text, err), Remedy: `name it like "pods" or "jobs.v1.batch"`}
	}
	return typeName{name, rest}, nil
}

func (n typeName) empty() bool { return n.name == "" }

func (n typeName) String() string {
	if n.rest == "" {
		return n.name
	}
	return n.name + "." + n.rest
}

// within reports whether the name may belong to a group and version.
func (n typeName) within(gv schema.GroupVersion) bool {
	return n.rest == "" || n.rest == gv.Group || n.versioned(gv)
}

// versioned reports whether the name states a group and version.
func (n typeName) versioned(gv schema.GroupVersion) bool {
	return n.rest == gv.Version+"."+gv.Group || gv.Group == "" && n.rest == gv.Version
}

// matches reports whether the name may refer to a type.
func (n typeName) matches(r *Resource) bool {
	return r.hasName(n.name) && n.within(r.groupVersion())
}

// find returns the type with the name. It prefers types that can be watched.
func (n typeName) find(types []Resource) (Resource, bool) {
	best := -1
	for i := range types {
		if r := &types[i]; n.matches(r) && (best < 0 || r.Can("watch") && !types[best].Can("watch")) {
			best = i
		}
	}
	if best < 0 {
		return Resource{}, false
	}
	return types[best], true
}
