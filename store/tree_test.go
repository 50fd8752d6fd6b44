package store

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestTreeAgainstModel compares a tree and copies of it with sorted slices.
func TestTreeAgainstModel(t *testing.T) {
	type item struct{ key, value int }
	compare := func(a, b item) int { return cmp.Compare(a.key, b.key) }
	type pair struct {
		tree  *btree[item]
		model []item
	}
	rapid.Check(t, func(t *rapid.T) {
		all := []pair{{newBtree(compare), nil}}
		keys := rapid.SampledFrom([]int{10, 300, 5000}).Draw(t, "keys")
		value := 0
		set := func(p *pair, key int) {
			value++
			i, found := slices.BinarySearchFunc(p.model, item{key: key}, compare)
			old, had := p.tree.Set(item{key, value})
			if had != found || had && old != p.model[i] {
				t.Fatalf("Set(%d): got %v, %v", key, old, had)
			}
			if found {
				p.model[i] = item{key, value}
			} else {
				p.model = slices.Insert(p.model, i, item{key, value})
			}
		}
		remove := func(p *pair, key int) {
			i, found := slices.BinarySearchFunc(p.model, item{key: key}, compare)
			old, had := p.tree.Delete(item{key: key})
			if had != found || had && old != p.model[i] {
				t.Fatalf("Delete(%d): got %v, %v", key, old, had)
			}
			if found {
				p.model = slices.Delete(p.model, i, i+1)
			}
		}
		find := func(p *pair, key int) {
			i, found := slices.BinarySearchFunc(p.model, item{key: key}, compare)
			if x, ok := p.tree.Find(item{key: key}); ok != found || ok && x != p.model[i] {
				t.Fatalf("Find(%d): got %v, %v", key, x, ok)
			}
		}
		seek := func(p *pair, key int) {
			i, found := slices.BinarySearchFunc(p.model, item{key: key}, compare)
			if x, ok := p.tree.seek(item{key: key}); ok != found || ok && x != p.model[i] {
				t.Fatalf("seek(%d): got %v, %v", key, x, ok)
			}
		}
		// neighbors are zero where the leaf ends.
		neighbors := func(p *pair, key int) {
			var want [2]item
			i, found := slices.BinarySearchFunc(p.model, item{key: key}, compare)
			if i > 0 {
				want[0] = p.model[i-1]
			}
			if found {
				i++
			}
			if i < len(p.model) {
				want[1] = p.model[i]
			}
			before, after := p.tree.neighbors(item{key: key})
			if before != want[0] && before != (item{}) || after != want[1] && after != (item{}) {
				t.Fatalf("neighbors(%d): got %v and %v, want %v", key, before, after, want)
			}
		}
		which := func() *pair { return &all[rapid.IntRange(0, len(all)-1).Draw(t, "which")] }
		key := func() int { return rapid.IntRange(0, keys).Draw(t, "key") }
		t.Repeat(map[string]func(*rapid.T){
			"set":    func(*rapid.T) { set(which(), key()) },
			"delete": func(*rapid.T) { remove(which(), key()) },
			"find, then write": func(*rapid.T) {
				p := which()
				find(p, key())
				if again := rapid.Bool().Draw(t, "copy"); again && len(all) < 5 {
					all = append(all, pair{p.tree.Copy(), slices.Clone(p.model)})
					p = which()
				}
				for range rapid.IntRange(0, 3).Draw(t, "writes") {
					k := key()
					find(p, k)
					if rapid.Bool().Draw(t, "delete") {
						remove(p, rapid.SampledFrom([]int{k, k + 1}).Draw(t, "which one"))
					}
					for before := range rapid.SampledFrom([]int{0, 0, 40}).Draw(t, "others first") {
						set(p, k-40+before)
					}
					set(p, rapid.SampledFrom([]int{k, k, k + 1}).Draw(t, "key written"))
				}
			},
			"seek, then write": func(*rapid.T) {
				p, k := which(), key()
				seek(p, k)
				switch rapid.IntRange(0, 5).Draw(t, "between") {
				case 0:
					set(p, key())
				case 1:
					for other := range rapid.IntRange(1, 80).Draw(t, "others") {
						remove(p, k-40+other)
					}
				case 2:
					find(p, key())
				case 3:
					if len(all) < 5 {
						all = append(all, pair{p.tree.Copy(), slices.Clone(p.model)})
						p = which()
					}
				}
				k += rapid.SampledFrom([]int{0, 0, 0, 1, -1, 50}).Draw(t, "off by")
				neighbors(p, k)
				set(p, k)
				neighbors(p, k)
			},
			"seek and set a run": func(*rapid.T) {
				p, from, step := which(), key(), rapid.SampledFrom([]int{1, -1, 7}).Draw(t, "step")
				for k := range rapid.IntRange(1, 200).Draw(t, "n") {
					seek(p, from+k*step)
					set(p, from+k*step)
				}
			},
			"set a run": func(*rapid.T) {
				p, from := which(), key()
				for k := range rapid.IntRange(1, 400).Draw(t, "n") {
					set(p, from+k)
				}
			},
			"delete a run": func(*rapid.T) {
				p, from, step := which(), key(), rapid.IntRange(1, 3).Draw(t, "step")
				for k := range rapid.IntRange(1, 400).Draw(t, "n") {
					remove(p, from+k*step)
				}
			},
			"copy": func(*rapid.T) {
				if len(all) < 5 {
					p := which()
					all = append(all, pair{p.tree.Copy(), slices.Clone(p.model)})
				}
			},
			"": func(*rapid.T) {
				for i, p := range all {
					if got := slices.Collect(p.tree.Scan); !slices.Equal(got, p.model) || p.tree.Len() != len(p.model) {
						t.Fatalf("tree %d: got %d items, want %d", i, len(got), len(p.model))
					}
					wellFormed(t, p.tree.root, compare, true)
				}
				p, from := which(), key()
				i, found := slices.BinarySearchFunc(p.model, item{key: from}, compare)
				var got []item
				p.tree.Ascend(item{key: from}, func(x item) bool {
					got = append(got, x)
					return len(got) < 100
				})
				if want := p.model[i:min(i+100, len(p.model))]; !slices.Equal(got, want) {
					t.Fatalf("Ascend(%d): got %v, want %v", from, got, want)
				}
				if x, ok := p.tree.Get(item{key: from}); ok != found || ok && x != p.model[i] {
					t.Fatalf("Get(%d): got %v, %v", from, x, ok)
				}
			},
		})
	})
}

// wellFormed checks the structure of a tree: sizes, separators that equal the first items
// of their children, equal depth of all leaves, and nothing left in the unused capacity
// of slices.
func wellFormed[T comparable](t *rapid.T, n *node[T], compare func(a, b T) int, root bool) (depth int) {
	var zero T
	for _, left := range n.items[len(n.items):cap(n.items)] {
		if left != zero {
			t.Fatalf("a slice keeps %v in its unused capacity", left)
		}
	}
	for _, left := range n.children[len(n.children):cap(n.children)] {
		if left != nil {
			t.Fatal("a slice keeps a node in its unused capacity")
		}
	}
	if len(n.items) > maxItems || !root && len(n.items) == 0 {
		t.Fatalf("got a node with %d items", len(n.items))
	}
	if n.children == nil {
		return 0
	}
	if len(n.children) != len(n.items) {
		t.Fatalf("got %d children and %d items", len(n.children), len(n.items))
	}
	for i, kid := range n.children {
		d := wellFormed(t, kid, compare, false)
		if i > 0 && d != depth {
			t.Fatal("leaves at different depths")
		}
		depth = d
		if kid.items[0] != n.items[i] {
			t.Fatalf("got separator %v for a child that begins with %v", n.items[i], kid.items[0])
		}
	}
	return depth + 1
}

// TestTreeIsFull checks that sorted insertions fill the nodes, and that nodes are joined
// after many deletions.
func TestTreeIsFull(t *testing.T) {
	tree := newBtree(cmp.Compare[int])
	leaves := func() (n int) {
		var count func(*node[int])
		count = func(x *node[int]) {
			if x.children == nil {
				n++
			}
			for _, kid := range x.children {
				count(kid)
			}
		}
		count(tree.root)
		return n
	}
	const n = 64 * 100
	for i := range n {
		tree.Set(i)
	}
	if got := leaves(); got > n/maxItems+1 {
		t.Errorf("got %d leaves for %d sorted items", got, n)
	}
	for i := range n {
		if i%50 != 0 {
			tree.Delete(i)
		}
	}
	if got := leaves(); got > 4*tree.Len()/minItems {
		t.Errorf("got %d leaves for the %d remaining items", got, tree.Len())
	}
}
