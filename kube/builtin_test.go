package kube

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

// apiKinds are the Go types of k8s.io/api in the scheme of client-go.
func apiKinds() map[reflect.Type]schema.GroupVersionKind {
	kinds := map[reflect.Type]schema.GroupVersionKind{}
	for gvk, typ := range scheme.Scheme.AllKnownTypes() {
		if strings.HasPrefix(typ.PkgPath(), builtinPackages) && typ.Name() == gvk.Kind && typ.Kind() == reflect.Struct {
			kinds[typ] = gvk
		}
	}
	return kinds
}

// TestBuiltinGroups compares the groups that are derived from Go packages with the scheme
// of client-go.
func TestBuiltinGroups(t *testing.T) {
	kinds := apiKinds()
	for typ, want := range kinds {
		folder, version, _ := strings.Cut(strings.TrimPrefix(typ.PkgPath(), builtinPackages), "/")
		group, renamed := builtinGroups[folder]
		if !renamed {
			group = folder
		}
		if group != want.Group || version != want.Version {
			t.Errorf("%v: got %s of %s, want %s of %s", typ, version, group, want.Version, want.Group)
		}
	}
	if len(kinds) < 200 {
		t.Errorf("got only %d types", len(kinds))
	}
}

// TestBuiltinTypesMatchClientGo compares the table of built-in types with the clients of
// client-go, which are generated from the same source as servers: each type in each
// version, its plural, and whether it is namespaced.
func TestBuiltinTypesMatchClientGo(t *testing.T) {
	kinds := apiKinds()
	want := map[string]bool{}
	clients := reflect.TypeFor[kubernetes.Interface]()
	if _, ok := clients.MethodByName("LifecycleV1alpha1"); !ok {
		t.Log("the table is that of client-go 0.37")
		return
	}
	for i := range clients.NumMethod() {
		method := clients.Method(i)
		group := method.Type.Out(0)
		for k := range group.NumMethod() {
			get := group.Method(k)
			if get.Type.NumOut() != 1 || get.Name == "RESTClient" || method.Name == "Discovery" {
				continue
			}
			scope := []string{"cluster", "namespaced"}[get.Type.NumIn()]
			for _, verb := range []string{"Get", "Create"} {
				if m, ok := get.Type.Out(0).MethodByName(verb); ok && m.Type.Out(0).Kind() == reflect.Pointer {
					want[fmt.Sprint(kinds[m.Type.Out(0).Elem()], " ", strings.ToLower(get.Name), " ", scope)] = true
				}
			}
		}
	}
	for _, r := range builtins() {
		scope := []string{"cluster", "namespaced"}[r.Scope]
		line := fmt.Sprint(r.kind(), " ", r.Name, " ", scope)
		if !want[line] && r.Name != "bindings" { // client-go has it as a method of pods
			t.Errorf("client-go has no %s", line)
		}
		delete(want, line)
	}
	for line := range want {
		t.Errorf("the table has no %s", line)
	}
}

// TestBuiltinVerbs checks that types without the verb list, such as reviews, do not have
// it.
func TestBuiltinVerbs(t *testing.T) {
	for _, r := range builtins() {
		if len(r.Verbs) == 0 || !slices.IsSorted(r.Verbs) || len(r.ShortNames) > 1 {
			t.Errorf("got %+v, want sorted verbs and at most one short name", r)
		}
		if sent := strings.HasSuffix(r.Kind, "Review") || r.Kind == "Binding"; sent == r.Can("list") {
			t.Errorf("%s: got list = %v, want it only for a type that is not just sent", r, r.Can("list"))
		}
	}
}
