package jsonchange

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// patched applies a patch to an object.
func patched(t interface{ Fatalf(string, ...any) }, raw, patch []byte) map[string]any {
	out := raw
	if patch != nil {
		p, err := jsonpatch.DecodePatch(patch)
		if err != nil {
			t.Fatalf("decode the patch %s: %v", patch, err)
		}
		if out, err = p.Apply(raw); err != nil {
			t.Fatalf("apply %s to %s: %v", patch, raw, err)
		}
	}
	var obj map[string]any
	if err := json.Unmarshal(out, &obj); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return obj
}

// TestChange: only the change of a function is in the patch, and what a Go type does not know
// stays, also in elements of lists that move, change or have new neighbors.
func TestChange(t *testing.T) {
	for name, c := range map[string]struct{ raw, before, after, want string }{
		"no change": {
			`{"a":1,"quantity":"1000m","new":2}`, `{"a":1,"quantity":"1","empty":{}}`, `{"a":1,"quantity":"1","empty":{}}`,
			`{"a":1,"quantity":"1000m","new":2}`,
		},
		"changed, added and removed members": {
			`{"a":1,"b":2,"new":{"x":1}}`, `{"a":1,"b":2,"new":{}}`, `{"a":3,"c/~d":4,"new":{}}`,
			`{"a":3,"c/~d":4,"new":{"x":1}}`,
		},
		"a large number": {
			`{"a":9007199254740993,"b":1}`, `{"a":9007199254740993,"b":1}`, `{"a":9007199254740993,"b":2}`,
			`{"a":9007199254740993,"b":2}`,
		},
		"an element is appended": {
			`{"l":[{"name":"a","new":1}]}`, `{"l":[{"name":"a"}]}`, `{"l":[{"name":"a"},{"name":"b"}]}`,
			`{"l":[{"name":"a","new":1},{"name":"b"}]}`,
		},
		"an element is inserted before a changed one": {
			`{"l":[{"name":"a","v":1,"new":1}]}`, `{"l":[{"name":"a","v":1}]}`, `{"l":[{"name":"b"},{"name":"a","v":2}]}`,
			`{"l":[{"name":"b"},{"name":"a","v":2,"new":1}]}`,
		},
		"the first element is removed": {
			`{"l":[{"name":"a","new":1},{"name":"b","new":2}]}`, `{"l":[{"name":"a"},{"name":"b"}]}`, `{"l":[{"name":"b"}]}`,
			`{"l":[{"name":"b","new":2}]}`,
		},
		"elements are reordered and changed": {
			`{"l":[{"name":"a","new":1},{"name":"b","new":2}]}`, `{"l":[{"name":"a"},{"name":"b"}]}`, `{"l":[{"name":"b","v":1},{"name":"a"}]}`,
			`{"l":[{"name":"b","v":1,"new":2},{"name":"a","new":1}]}`,
		},
		"mounts of one volume": {
			`{"l":[{"name":"v","mountPath":"/a","new":1},{"name":"v","mountPath":"/b","new":2}]}`,
			`{"l":[{"name":"v","mountPath":"/a"},{"name":"v","mountPath":"/b"}]}`,
			`{"l":[{"name":"v","mountPath":"/b","readOnly":true},{"name":"v","mountPath":"/a","readOnly":true}]}`,
			`{"l":[{"name":"v","mountPath":"/b","readOnly":true,"new":2},{"name":"v","mountPath":"/a","readOnly":true,"new":1}]}`,
		},
		"an element is replaced": {
			`{"l":[{"name":"a","new":1},{"name":"b","new":2}]}`, `{"l":[{"name":"a"},{"name":"b"}]}`, `{"l":[{"name":"a"},{"name":"c"}]}`,
			`{"l":[{"name":"a","new":1},{"name":"c"}]}`,
		},
		"elements without names change": {
			`{"l":[{"port":1,"new":1},{"port":2,"new":2}]}`, `{"l":[{"port":1},{"port":2}]}`, `{"l":[{"port":3},{"port":2}]}`,
			`{"l":[{"port":3,"new":1},{"port":2,"new":2}]}`,
		},
		"a list of plain values": {
			`{"l":["a","b"],"new":[]}`, `{"l":["a","b"]}`, `{"l":["b"]}`, `{"l":["b"],"new":[]}`,
		},
		"a default of the Go type changes": {
			`{"a":1}`, `{"a":1,"replicas":0}`, `{"a":1,"replicas":3}`, `{"a":1,"replicas":3}`,
		},
		"the Go type knew no member of a value": {
			`{"status":{"new":1}}`, `{}`, `{"status":{"phase":"x"}}`, `{"status":{"new":1,"phase":"x"}}`,
		},
		"null is a value": {`{"a":1,"b":null}`, `{"a":1}`, `{"a":null}`, `{"a":null,"b":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			change, err := Between([]byte(c.before), []byte(c.after), nil)
			if err != nil {
				t.Fatal(err)
			}
			patch, err := change.Operations([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := patched(t, []byte(c.raw), patch), patched(t, []byte(c.want), nil); !reflect.DeepEqual(got, want) {
				t.Errorf("the patch %s makes %v, want %v", patch, got, want)
			}
			if got, err := change.Merged([]byte(c.raw)); err != nil || !reflect.DeepEqual(patched(t, got, nil), patched(t, []byte(c.want), nil)) {
				t.Errorf("merged: got %s and error %v, want %s", got, err, c.want)
			}
			if c.raw == c.want && patch != nil {
				t.Errorf("the patch is %s, want none", patch)
			}
		})
	}
}

// TestModel: random functions change random objects. The patched object is the one that
// a Go type with all fields would have made.
func TestModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-f]`), 0, 5, rapid.ID).Draw(t, "names")
		var raw, before []any
		for _, name := range names {
			known := map[string]any{"name": name, "value": rapid.IntRange(0, 2).Draw(t, "value")}
			before = append(before, known)
			all := maps.Clone(known)
			all["unknown"] = "of " + name
			raw = append(raw, all)
		}
		after, want := change(t, before, raw)
		object := func(list []any, more map[string]any) []byte {
			obj := map[string]any{"metadata": map[string]any{"name": "x"}, "list": list}
			maps.Copy(obj, more)
			text, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		unknown := map[string]any{"unknown": map[string]any{"a": 1}}
		sent := object(raw, unknown)
		made, err := Between(object(before, nil), object(after, nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		patch, err := made.Operations(sent)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := patched(t, sent, patch), patched(t, object(want, unknown), nil); !reflect.DeepEqual(got, want) {
			t.Fatalf("the patch %s makes %v, want %v", patch, got, want)
		}
		merge, err := made.MergePatchOf(sent)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(merge)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := jsonpatch.MergePatch(sent, text)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := patched(t, merged, nil), patched(t, object(want, unknown), nil); !reflect.DeepEqual(got, want) {
			t.Fatalf("the merge patch %s makes %v, want %v", text, got, want)
		}
	})
}

// change makes the same random changes to two lists.
func change(t *rapid.T, before, raw []any) (after, want []any) {
	after, want = slices.Clone(before), slices.Clone(raw)
	both := func(f func(list []any) []any) { after, want = f(after), f(want) }
	for i := range rapid.IntRange(0, 4).Draw(t, "changes") {
		at := 0
		if len(after) > 0 {
			at = rapid.IntRange(0, len(after)-1).Draw(t, "at")
		}
		switch what := rapid.SampledFrom([]string{"insert", "remove", "set", "swap"}).Draw(t, "what"); {
		case what == "insert":
			both(func(list []any) []any {
				return slices.Insert(list, at, any(map[string]any{"name": fmt.Sprint("n", i)}))
			})
		case len(after) == 0:
		case what == "remove":
			both(func(list []any) []any { return slices.Delete(slices.Clone(list), at, at+1) })
		case what == "set":
			both(func(list []any) []any {
				list = slices.Clone(list)
				element := maps.Clone(list[at].(map[string]any))
				element["value"] = 10 + i
				list[at] = element
				return list
			})
		case what == "swap":
			both(func(list []any) []any {
				list = slices.Clone(list)
				list[0], list[at] = list[at], list[0]
				return list
			})
		}
	}
	return after, want
}

// TestRemoved: a change names the fields that it removes.
func TestRemoved(t *testing.T) {
	before := `{"a":{"b":1,"c":"x","d":[1,2],"e":true},"f":[{"g":1}],"h":null,"i":0,"j":"same","m":{"":1,"x.y":2,"z":3}}`
	after := `{"a":{"b":0,"d":[1]},"f":[{}],"j":"other","k":1,"m":{}}`
	change, err := Between([]byte(before), []byte(after), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := change.Removed(), []string{"a.b", "a.c", "a.d", "a.e", "f[0].g", "m.z", "m['']", "m['x.y']"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestUnlikeList: a change of a list whose elements cannot be identified is an error.
func TestUnlikeList(t *testing.T) {
	change, err := Between([]byte(`{"a":{"l":[]}}`), []byte(`{"a":{"l":["x"]}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := change.Merged([]byte(`{"a":{"l":["y","z"]}}`)); err == nil || !strings.Contains(err.Error(), "a.l has 2 elements") {
		t.Errorf("got %s and error %v, want an error about a.l", got, err)
	}
}

// TestParts: a struct within a struct is left out of the encoding when the fields that it knows
// become zero. Its other members stay; those of a pointer that becomes nil go.
func TestParts(t *testing.T) {
	type phase struct {
		Phase string `json:"phase,omitempty"`
	}
	type inner struct {
		Status phase  `json:"status,omitzero"`
		Other  *phase `json:"other,omitempty"`
	}
	type outer struct {
		inner
		List []inner `json:"list,omitempty"`
	}
	const raw = `{"list":[{"status":{"phase":"a","new":1}}],"other":{"phase":"a","new":1},"status":{"phase":"a","new":1}}`
	before := outer{inner{phase{"a"}, &phase{"a"}}, []inner{{Status: phase{"a"}}}}
	after := outer{List: []inner{{}}}
	var texts [2][]byte
	for i, v := range []outer{before, after} {
		var err error
		if texts[i], err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
	change, err := Between(texts[0], texts[1], reflect.TypeFor[*outer]())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"list":[{"status":{"new":1}}],"status":{"new":1}}`
	if got, err := change.Merged([]byte(raw)); err != nil || string(got) != want {
		t.Errorf("merged: got %s and error %v, want %s", got, err, want)
	}
	patch, lists := change.MergePatch()
	text, err := json.Marshal(patch)
	if err != nil || lists != ReplacesLists || string(text) != `{"list":[{}],"other":null,"status":{"phase":null}}` {
		t.Errorf("the merge patch is %s, error %v", text, err)
	}
}
