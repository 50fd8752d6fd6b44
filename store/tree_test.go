package store

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// treeItem is an item of a tree in a test.
type treeItem struct{ key, value int }

func compareItems(a, b treeItem) int { return cmp.Compare(a.key, b.key) }

// modeled is a tree with a sorted slice of the same items.
type modeled struct {
	tree  *btree[treeItem]
	model []treeItem
}

func (p *modeled) search(key int) (int, bool) {
	return slices.BinarySearchFunc(p.model, treeItem{key: key}, compareItems)
}

func (p *modeled) set(t *rapid.T, x treeItem) {
	i, found := p.search(x.key)
	old, had := p.tree.Set(x)
	if had != found || had && old != p.model[i] {
		t.Fatalf("Set(%d): got %v, %v", x.key, old, had)
	}
	if found {
		p.model[i] = x
	} else {
		p.model = slices.Insert(p.model, i, x)
	}
}

func (p *modeled) remove(t *rapid.T, key int) {
	i, found := p.search(key)
	old, had := p.tree.Delete(treeItem{key: key})
	if had != found || had && old != p.model[i] {
		t.Fatalf("Delete(%d): got %v, %v", key, old, had)
	}
	if found {
		p.model = slices.Delete(p.model, i, i+1)
	}
}

// look calls one of the methods of the tree that search an item.
func (p *modeled) look(t *rapid.T, name string, search func(treeItem) (treeItem, bool), key int) {
	i, found := p.search(key)
	if x, ok := search(treeItem{key: key}); ok != found || ok && x != p.model[i] {
		t.Fatalf("%s(%d): got %v, %v", name, key, x, ok)
	}
}

// neighbors checks the neighbors of a key, which are zero where the leaf ends.
func (p *modeled) neighbors(t *rapid.T, key int) {
	var want [2]treeItem
	i, found := p.search(key)
	if i > 0 {
		want[0] = p.model[i-1]
	}
	if found {
		i++
	}
	if i < len(p.model) {
		want[1] = p.model[i]
	}
	before, after := p.tree.neighbors(treeItem{key: key})
	if before != want[0] && before != (treeItem{}) || after != want[1] && after != (treeItem{}) {
		t.Fatalf("neighbors(%d): got %v and %v, want %v", key, before, after, want)
	}
}

// check compares everything in the tree with the model.
func (p *modeled) check(t *rapid.T) {
	if got := slices.Collect(p.tree.Scan); !slices.Equal(got, p.model) || p.tree.Len() != len(p.model) {
		t.Fatalf("got %d items, want %d", len(got), len(p.model))
	}
	wellFormed(t, p.tree.root, compareItems, true)
}

// ascend compares the items from a key on.
func (p *modeled) ascend(t *rapid.T, from int) {
	var got []treeItem
	p.tree.Ascend(treeItem{key: from}, func(x treeItem) bool {
		got = append(got, x)
		return len(got) < 100
	})
	i, _ := p.search(from)
	if want := p.model[i:min(i+100, len(p.model))]; !slices.Equal(got, want) {
		t.Fatalf("Ascend(%d): got %v, want %v", from, got, want)
	}
}

// TestTreeAgainstModel compares a tree and copies of it with sorted slices.
func TestTreeAgainstModel(t *testing.T) {
	t.Parallel()
	testinput.Check(t, func(t *rapid.T) {
		all := []*modeled{{tree: newBtree(compareItems)}}
		keys, value := rapid.SampledFrom([]int{10, 300, 5000}).Draw(t, "keys"), 0
		which := func() *modeled { return all[rapid.IntRange(0, len(all)-1).Draw(t, "which")] }
		key := func() int { return rapid.IntRange(0, keys).Draw(t, "key") }
		set := func(p *modeled, key int) {
			value++
			p.set(t, treeItem{key, value})
		}
		copied := func(p *modeled) *modeled {
			if len(all) < 5 {
				all = append(all, &modeled{p.tree.Copy(), slices.Clone(p.model)})
			}
			return which()
		}
		t.Repeat(map[string]func(*rapid.T){
			"set":    func(*rapid.T) { set(which(), key()) },
			"delete": func(*rapid.T) { which().remove(t, key()) },
			"find, then write": func(*rapid.T) {
				p := which()
				p.look(t, "Find", p.tree.Find, key())
				if rapid.Bool().Draw(t, "copy") {
					p = copied(p)
				}
				for range rapid.IntRange(0, 3).Draw(t, "writes") {
					k := key()
					p.look(t, "Find", p.tree.Find, k)
					if rapid.Bool().Draw(t, "delete") {
						p.remove(t, rapid.SampledFrom([]int{k, k + 1}).Draw(t, "which one"))
					}
					for before := range rapid.SampledFrom([]int{0, 0, 40}).Draw(t, "others first") {
						set(p, k-40+before)
					}
					set(p, rapid.SampledFrom([]int{k, k, k + 1}).Draw(t, "key written"))
				}
			},
			"seek, then write": func(*rapid.T) {
				p, k := which(), key()
				p.look(t, "seek", p.tree.seek, k)
				switch rapid.IntRange(0, 5).Draw(t, "between") {
				case 0:
					set(p, key())
				case 1:
					for other := range rapid.IntRange(1, 80).Draw(t, "others") {
						p.remove(t, k-40+other)
					}
				case 2:
					p.look(t, "Find", p.tree.Find, key())
				case 3:
					p = copied(p)
				}
				k += rapid.SampledFrom([]int{0, 0, 0, 1, -1, 50}).Draw(t, "off by")
				p.neighbors(t, k)
				set(p, k)
				p.neighbors(t, k)
			},
			"seek and set a run": func(*rapid.T) {
				p, from, step := which(), key(), rapid.SampledFrom([]int{1, -1, 7}).Draw(t, "step")
				for k := range rapid.IntRange(1, 200).Draw(t, "n") {
					p.look(t, "seek", p.tree.seek, from+k*step)
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
					p.remove(t, from+k*step)
				}
			},
			"copy": func(*rapid.T) { copied(which()) },
			"": func(*rapid.T) {
				for _, p := range all {
					p.check(t)
				}
				p, from := which(), key()
				p.ascend(t, from)
				p.look(t, "Get", p.tree.Get, from)
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
