package manifest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

func parseOne(t *testing.T, text string) *manifest.Manifest {
	t.Helper()
	all, err := manifest.Parse(t.Context(), "f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// TestSet sets each path and value on an object with some of the fields.
func TestSet(t *testing.T) {
	for _, c := range []struct{ path, value, want string }{
		{"n", "4", `{"n":4}`},
		{"n", "4.5", `{"n":4.5}`},
		{"n", "500m", `{"n":"500m"}`},
		{"n", "true", `{"n":true}`},
		{"n", "null", `{}`},
		{"n", "[1, {\"a\": 2}]", `{"n":[1,{"a":2}]}`},
		{"n", "1]", `{"n":"1]"}`},
		{"n", "1 2", `{"n":"1 2"}`},
		{"n", "99999999999999999999", `{"n":1e20}`},
		{"text", "4", `{"text":"4"}`},
		{"text", "null", `{}`},
		{"text", "a: {b", `{"text":"a: {b"}`},
		{"new.field", "x", `{"new":{"field":"x"}}`},
		{"new[a/b]", "x", `{"new":{"a/b":"x"}}`},
		{`new["a.b"].c`, "x", `{"new":{"a.b":{"c":"x"}}}`},
		{"new[0].a", "x", `{"new":[{"a":"x"}]}`},
		{"list[0].v", "2", `{"list":[{"v":2}]}`},
		{"list[1].v", "2", `{"list":[{"v":1},{"v":2}]}`},
		{"labels.a.b/c", "z", `{"labels":{"a.b/c":"z"}}`},
		{".text", "z", `{"text":"z"}`},
		{"gone.field", "null", `{"gone":{}}`},
	} {
		m := parseOne(t, head+"n: 1\ntext: x\nlist: [{v: 1}]\nlabels: {a.b/c: y}\n")
		if err := m.Set(c.path, c.value); err != nil {
			t.Errorf("%s=%s failed: %v", c.path, c.value, err)
			continue
		}
		var want object
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(strings.TrimPrefix(c.path, "."), ".")
		first, _, _ = strings.Cut(first, "[")
		got := object{}
		if v, there := m.Object.Object[first]; there {
			got[first] = v
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var read object
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, read); diff != "" {
			t.Errorf("%s=%s (-want +got):\n%s", c.path, c.value, diff)
		}
	}
}

// TestSetMistakes: an invalid path changes nothing.
func TestSetMistakes(t *testing.T) {
	for path, want := range map[string]string{
		"": "the path is empty", "..": "the path is empty", "m.x": `cannot set m.x: the value before "x" is neither a mapping nor a list`,
		"list[2]": "the list has 1 items and no item [2]", "list[-1]": "no item [-1]", "list.v": `"v" is no item of a list`, "list[x]": `"x" is no item of a list`,
		"a..b": "it has an empty name", "[]": "it has an empty name", strings.Repeat("a.", 200): "more than 100 steps",
	} {
		m := parseOne(t, head+"m: 1\nlist: [{v: 1}]\n")
		before := m.Object.DeepCopy()
		err := m.Set(path, "x")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
		if diff := cmp.Diff(before.Object, m.Object.Object); diff != "" {
			t.Errorf("%q changed the object:\n%s", path, diff)
		}
	}
	m := parseOne(t, head+"list: [1]\n")
	if err := m.Set("list[0]", "null"); err == nil || !strings.Contains(err.Error(), "null removes a field, and no item") {
		t.Errorf("Set: got error %v, want one with %q", err, "null removes a field, and no item")
	}
}

// TestSetAny: no path and value break Set; the object can still be sent.
func TestSetAny(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		all, err := manifest.Parse(t.Context(), "f", []byte(job))
		if err != nil {
			t.Fatal(err)
		}
		m := all[0]
		for range 5 {
			path := rapid.StringMatching(`((spec|metadata|labels|containers|template|a|\[[0-2]\]|\["a"\]|\.|[\[\]".])){0,8}`).Draw(t, "path")
			value := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"null", "{}", "[]", `{"a":1}`, "1", "true", `[[1e999]]`})).Draw(t, "value")
			before := m.Object.DeepCopy()
			if err := m.Set(path, value); err != nil && !cmp.Equal(before.Object, m.Object.Object) {
				t.Fatalf("%q failed (%v), and changed the object", path, err)
			}
			runtime.DeepCopyJSON(m.Object.Object) // it panics on types that objects do not support
		}
	})
}
