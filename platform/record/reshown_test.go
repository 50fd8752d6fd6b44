package record_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/wire"
)

// shown is an object with a version and a content.
func shown(kind delta.Kind, name string, version wire.Version, content string) delta.Delta {
	body := fmt.Appendf(nil, `{"metadata":{"name":%q,"uid":%q,"resourceVersion":"%v"},"spec":{"a":%q}}`, name, name, version, content)
	return delta.Delta{Kind: kind, Version: version, Record: wire.Record{Key: wire.Key{Name: name}, UID: name, Version: version, Encoding: wire.JSON, Body: body}}
}

// TestReshownAtTheLastVersion: a list shows other content of the object that has the last
// version of all. Its revision waits for a later version, of the list or of the watch, and is
// not written if the object has a newer revision then.
func TestReshownAtTheLastVersion(t *testing.T) {
	list := func(version wire.Version, content string) []delta.Delta {
		return []delta.Delta{{Kind: delta.Begin}, shown(delta.Upsert, "x", 5, content), shown(delta.Upsert, "y", 3, content), {Kind: delta.End, Version: version}}
	}
	began := []string{"x list 5 as of ", "y list 3 as of "}
	for _, c := range []struct {
		name  string
		later [][]delta.Delta
		want  []string
	}{
		{"a later list", [][]delta.Delta{list(6, "b")}, []string{"y reshown 3 as of 5", "x reshown 5 as of 6"}},
		{"no later version", [][]delta.Delta{list(5, "b")}, []string{"y reshown 3 as of 5"}},
		{"a bookmark", [][]delta.Delta{list(5, "b"), {{Kind: delta.Bookmark, Version: 7}}}, []string{"y reshown 3 as of 5", "x reshown 5 as of 7"}},
		{"an event of another object", [][]delta.Delta{list(5, "b"), {shown(delta.Upsert, "z", 8, "b")}}, []string{"y reshown 3 as of 5", "x reshown 5 as of 8", "z watch 8 as of "}},
		{"an event of the object", [][]delta.Delta{list(5, "b"), {shown(delta.Upsert, "x", 8, "c")}}, []string{"y reshown 3 as of 5", "x watch 8 as of "}},
		{"its deletion", [][]delta.Delta{list(5, "b"), {shown(delta.Delete, "x", 8, "b")}}, []string{"y reshown 3 as of 5", "x watch 8 as of "}},
		{"a list without it", [][]delta.Delta{list(5, "b"), {{Kind: delta.Begin}, shown(delta.Upsert, "y", 3, "b"), {Kind: delta.End, Version: 9}}}, []string{"y reshown 3 as of 5", "x relist 9 as of "}},
		{"a list that begins again", [][]delta.Delta{{{Kind: delta.Begin}, shown(delta.Upsert, "x", 5, "b")}, list(6, "b")}, []string{"y reshown 3 as of 5", "x reshown 5 as of 6"}},
		{"other content twice in one version", [][]delta.Delta{list(5, "b"), list(5, "c"), {{Kind: delta.Bookmark, Version: 7}}}, []string{"y reshown 3 as of 5", "x reshown 5 as of 7", "y reshown 3 as of 7"}},
		{"other content in each list", [][]delta.Delta{list(6, "b"), list(6, "c"), list(7, "c")}, []string{"y reshown 3 as of 5", "x reshown 5 as of 6", "y reshown 3 as of 6", "x reshown 5 as of 7"}},
		{"the same content again", [][]delta.Delta{list(5, "b"), list(6, "b")}, []string{"y reshown 3 as of 5", "x reshown 5 as of 6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := record.Planned(append([][]delta.Delta{list(5, "a")}, c.later...)...)
			if want := append(slices.Clone(began), c.want...); err != nil || !slices.Equal(got, want) {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
}
