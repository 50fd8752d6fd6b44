package store

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/wire"
)

// TestFindEntryAgainstGet compares searches by guides with searches by keys, while objects
// come, change and go. Names share beginnings, and namespaces begin with one another.
func TestFindEntryAgainstGet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a arena
		entry := func(key wire.Key) Entry { return a.alone(&wire.Record{Key: key, UID: "u"}, nil, true) }
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
			is, had := tree.Copy().Get(want)
			if got, ok := findEntry(tree, want); ok != had || got != is {
				t.Fatalf("%q: found %v, want %v", want.Key(), ok, had)
			}
			if got, ok := getEntry(tree.Copy(), want); ok != had || got != is {
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
					t.Fatalf("%q took the place of %q", e.Key(), old.Key())
				}
				same(e)
			},
			"delete": func(*rapid.T) { tree.Delete(entry(key())) },
			"": func(t *rapid.T) {
				var before Entry
				tree.Scan(func(e Entry) bool {
					if !before.IsZero() && compareEntries(before, e) >= 0 {
						t.Fatalf("%q is before %q", before.Key(), e.Key())
					}
					before = e
					return true
				})
			},
		})
	})
}

// TestFindEntryReadsFewKeys counts the keys that a search compares, in a store where each
// object was updated.
func TestFindEntryReadsFewKeys(t *testing.T) {
	var a arena
	const n = 20_000
	tree, entries := newTree(), make([]Entry, n)
	for i := range n {
		key := wire.Key{Namespace: fmt.Sprintf("team-%d", i/2000), Name: fmt.Sprintf("job-%06d-worker", i)}
		entries[i] = a.alone(&wire.Record{Key: key, UID: "u"}, nil, true)
		tree.Set(entries[i])
	}
	compared := 0
	tree.compare = func(a, b Entry) int {
		compared++
		return compareEntries(a, b)
	}
	update := func() {
		for i := range n {
			e := entries[i*7919%n] // a prime: all of them, in no order
			if _, ok := findEntry(tree, e); !ok {
				t.Fatalf("%q is not there", e.Key())
			}
			tree.Set(e)
		}
	}
	update() // guides come with the first searches
	compared = 0
	update()
	if each := float64(compared) / n; each > 1.1 { // one is that of Set
		t.Errorf("an update compares %.2f keys by search, want one", each)
	}
}
