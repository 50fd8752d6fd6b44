package store_test

import (
	"slices"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
)

// TestTakesOver checks that a scope keeps the objects of a narrower scope that received
// events while the wider scope was listed. It replaces them if the narrower scope had,
// before the list, a version that the server has not reached: otherwise it would ignore
// all events of that namespace.
func TestTakesOver(t *testing.T) {
	const lie = 1 << 60
	a := delta.Scope{Namespace: "a"}
	in := func(scope delta.Scope, d delta.Delta) delta.Delta {
		d.Scope = scope
		return d
	}
	for _, c := range []struct {
		name   string
		before int           // the version of the narrower scope before the list
		during []delta.Delta // events of the narrower scope while the list arrives
		after  []delta.Delta // events of the wider scope
		want   []string
	}{
		{"with later events", 50, []delta.Delta{upsert("ax", "u", 105), upsert("ay", "v", 106)}, []delta.Delta{upsert("ax", "u", 101)}, []string{"ax u@105", "ay v@106", "bx w@90"}},
		{"with a version from the future", lie, nil, []delta.Delta{upsert("ay", "v", 101)}, []string{"ax u@40", "ay v@101", "bx w@90"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := store.New(store.Config{})
			s.AddScope(a)
			apply(t, s, in(a, begin), in(a, upsert("ax", "u", 40)), in(a, end(c.before)))
			s.AddScope(delta.Scope{})
			apply(t, s, begin, upsert("ax", "u", 40), upsert("bx", "w", 90))
			for _, d := range c.during {
				apply(t, s, in(a, d))
			}
			apply(t, s, end(100), delta.Delta{Kind: delta.Leave, Scope: a})
			for _, d := range c.after {
				apply(t, s, d)
			}
			var got []string
			for e := range s.Snapshot().All() {
				got = append(got, e.Key().Namespace+e.Key().Name+" "+e.UID()+"@"+e.Version().String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
