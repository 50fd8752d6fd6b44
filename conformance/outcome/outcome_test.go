package outcome_test

import (
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"github.com/vedette-io/vedette/conformance/outcome"
)

var things = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}

func thing(name, uid string, spec map[string]any) runtime.Object {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Thing",
		"metadata": map[string]any{"namespace": "default", "name": name, "uid": uid}, "spec": spec,
	}}
}

// TestDifferences: random fields make no difference, and all others do.
func TestDifferences(t *testing.T) {
	rules := outcome.Rules{
		Types: []schema.GroupVersionResource{things}, Chance: []string{"node"}, Names: regexp.MustCompile(`-\d+$`),
		Prepare: func(resource string, o *unstructured.Unstructured) bool {
			unstructured.RemoveNestedField(o.Object, "spec", "steps")
			return resource == "things" && o.GetName() != "ignored"
		},
	}
	read := func(objects ...runtime.Object) outcome.Outcome {
		t.Helper()
		client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{things: "ThingList"}, objects...)
		o, err := rules.Read(t.Context(), client)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	first := read(
		thing("a-bcdfg", "1", map[string]any{"node": "x", "list": []any{"m", "n"}, "of": "pod-1", "steps": int64(1)}),
		thing("a-bcdfh", "2", map[string]any{"list": []any{}}))
	for _, c := range []struct {
		name string
		then outcome.Outcome
		want string
	}{
		{"random fields", read(
			thing("a-zzzzz", "3", map[string]any{"node": "y", "list": []any{"n", "m"}, "of": "pod-2", "steps": int64(2)}),
			thing("a-xxxxx", "4", map[string]any{"list": []any{}}), thing("ignored", "5", nil)), ""},
		{"a field", read(
			thing("a-zzzzz", "3", map[string]any{"list": []any{"n", "o"}, "of": "pod-2"}),
			thing("a-xxxxx", "4", map[string]any{"list": []any{}})), "+-"},
		{"one more", read(
			thing("a-zzzzz", "3", map[string]any{"list": []any{"n", "m"}, "of": "pod-2"}),
			thing("a-xxxxx", "4", map[string]any{"list": []any{}}), thing("a-vvvvv", "5", map[string]any{"list": []any{}})), "+"},
		{"one less", read(thing("a-xxxxx", "4", map[string]any{"list": []any{}})), "-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var signs strings.Builder
			found := outcome.Differences(first, c.then)
			for _, d := range found {
				signs.WriteByte(d[0])
			}
			if signs.String() != c.want {
				t.Errorf("differences %q, want %q", found, c.want)
			}
		})
	}
}

var kept []byte

func TestHeap(t *testing.T) {
	before := outcome.Heap()
	kept = make([]byte, 20<<20)
	if grown := outcome.Heap() - before; grown < 19 || grown > 25 {
		t.Errorf("20 MB are %.1f MB", grown)
	}
	kept = nil
	if grown := outcome.Heap() - before; grown > 5 {
		t.Errorf("an empty heap is %.1f MB", grown)
	}
}
