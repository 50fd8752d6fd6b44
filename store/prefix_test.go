package store

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/wire"
)

// TestPrefixSearch compares searches with prefix indexes with searches by keys, while
// objects are added, changed and deleted. Names have common prefixes, and some namespaces
// are prefixes of others.
func TestPrefixSearch(t *testing.T) {
	t.Parallel()
	testinput.Check(t, func(t *rapid.T) {
		var a arena
		entry := func(key wire.Key) Entry { return a.storeAlone(&wire.Record{Key: key, UID: "u"}, nil, true) }
		key := func() wire.Key {
			k := wire.Key{
				Cluster:   rapid.SampledFrom([]string{"", "a", "ab"}).Draw(t, "cluster"),
				Namespace: rapid.SampledFrom([]string{"", "n", "n-1", "n-10", "other"}).Draw(t, "namespace"),
			}
			form := rapid.SampledFrom([]string{"%d", "worker-%04d", "%04d-worker-with-a-long-name", "w\x00%d"}).Draw(t, "form")
			k.Name = fmt.Sprintf(form, rapid.IntRange(0, 300).Draw(t, "name"))
			return k
		}
		tree := newTree()
		for range rapid.SampledFrom([]int{0, 10, 1500}).Draw(t, "first list") {
			tree.Set(entry(key()))
		}
		same := func(want Entry) {
			is, had := tree.Copy().get(want)
			if got, ok := tree.Find(want); ok != had || got != is {
				t.Fatalf("%q: got found = %v, want %v", want.Key(), ok, had)
			}
			if got, ok := tree.Copy().Get(want); ok != had || got != is {
				t.Fatalf("%q: got %v, want %v", want.Key(), ok, had)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"find": func(*rapid.T) {
				for range 50 {
					same(entry(key()))
				}
			},
			"update": func(*rapid.T) {
				e := entry(key())
				same(e)
				if old, had := tree.Set(e); had && compareEntries(old, e) != 0 {
					t.Fatalf("%q replaced %q", e.Key(), old.Key())
				}
				same(e)
			},
			"delete": func(*rapid.T) { tree.Delete(entry(key())) },
			"": func(t *rapid.T) {
				var before Entry
				tree.Scan(func(e Entry) bool {
					if !before.IsZero() && compareEntries(before, e) >= 0 {
						t.Fatalf("got %q before %q", before.Key(), e.Key())
					}
					before = e
					return true
				})
			},
		})
	})
}

// TestPrefixSearchReadsFewKeys counts the keys that an update compares in a store in
// which each object was updated: those at the end of the search, and those with the same
// tag in the root because their namespaces are the same.
func TestPrefixSearchReadsFewKeys(t *testing.T) {
	t.Parallel()
	var a arena
	const n = 20_000
	tree, index, entries := newTree(), newPostings(0), make([]Entry, n)
	for i := range n {
		key := wire.Key{Namespace: fmt.Sprintf("team-%d", i/2000), Name: fmt.Sprintf("job-%06d-worker", i)}
		entries[i] = a.storeAlone(&wire.Record{Key: key, UID: "u"}, [][]string{{fmt.Sprintf("node-%d", i%500)}}, true)
	}
	compared := 0
	tree.compare = counting(tree.compare, &compared)
	index.compare = counting(index.compare, &compared)
	for what, update := range map[string]func(Entry){
		"objects": func(e Entry) {
			tree.Find(e)
			tree.Set(e)
		},
		"an index": func(e Entry) {
			p := posting{e.slab, e.off, 0}
			index.Find(p)
			index.Set(p)
		},
	} {
		all := func() {
			for i := range n {
				update(entries[i*7919%n]) // a prime: all entries, in a scattered order
			}
		}
		all()
		all() // the first searches build the prefix indexes
		compared = 0
		all()
		each := float64(compared) / n
		t.Logf("%s: an update compares %.1f keys", what, each)
		if each > 6 {
			t.Errorf("%s: got %.1f compared keys per update", what, each)
		}
	}
}

// counting counts comparisons.
func counting[T any](compare func(a, b T) int, n *int) func(a, b T) int {
	return func(a, b T) int {
		*n++
		return compare(a, b)
	}
}
