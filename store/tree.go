package store

import (
	"slices"
	"sync/atomic"
)

const (
	// maxItems is how many items or children a node has at most.
	maxItems = 32
	// minItems is where a node is joined with a neighbour that has room.
	minItems = maxItems / 4
	// spareItems is the room that a copied node has for more: most copies live for one
	// batch.
	spareItems = 4
)

// btree is an ordered set of items. Copying it is O(1): the copies share nodes
// until one of them writes, which copies the nodes on the way to the leaf. Any
// number of goroutines may read a copy that nobody writes to.
//
// It is a B+ tree that keeps nothing but what is in it: an item that was removed
// or replaced stands nowhere any more, neither as a separator nor in the unused
// end of a slice, where it would hold on to the memory it leads to.
type btree[T any] struct {
	root     *node[T]
	len      int
	owner    *owner
	compare  func(a, b T) int
	name     func(T) keyName // nil for a tree without guides
	lastPath path
}

// path is where the last Find found its item. Set looks there first: the writer of a
// store looks for an object before it writes it, and most of the cost of either is to
// compare keys.
type path struct {
	depth uint8 // number of steps; 0 if nothing is known
	steps [maxSteps]uint8
}

// maxSteps is the depth of the deepest tree whose spots are known: one of millions of
// items has five levels.
const maxSteps = 7

// owner tells whose nodes may be written in place: two trees never share one.
type owner struct{ _ byte }

// node is a leaf, or an inner node whose items are the first of each child.
type node[T any] struct {
	owner    *owner
	items    []T
	children []*node[T] // nil in a leaf

	prefixes atomic.Pointer[prefixIndex] // nil once items have changed
	searched atomic.Uint32               // since then
}

// invalidate drops the guide of a node before items are added or removed.
func (n *node[T]) invalidate() {
	n.prefixes.Store(nil)
	n.searched.Store(0)
}

func newBtree[T any](compare func(a, b T) int) *btree[T] {
	o := new(owner)
	return &btree[T]{root: &node[T]{owner: o}, owner: o, compare: compare}
}

// Len returns the number of items.
func (t *btree[T]) Len() int { return t.len }

// Copy returns a tree with the same items.
func (t *btree[T]) Copy() *btree[T] {
	c := *t
	c.lastPath = path{} // any number of goroutines read the copy
	t.owner, c.owner = new(owner), new(owner)
	return &c
}

// writable returns the node if it may be written, else a copy.
func (t *btree[T]) writable(n *node[T]) *node[T] {
	if n.owner == t.owner {
		return n
	}
	c := &node[T]{owner: t.owner, items: cloneWithRoom(n.items), children: cloneWithRoom(n.children)}
	c.prefixes.Store(n.prefixes.Load())
	c.searched.Store(n.searched.Load())
	return c
}

// cloneWithRoom copies a slice, with a little room for more.
func cloneWithRoom[E any](s []E) []E {
	if s == nil {
		return nil
	}
	return append(make([]E, 0, min(len(s)+spareItems, maxItems+1)), s...)
}

// find returns where the item is or would be in a leaf. Lists come in the order
// of their keys, or nearly so: most items belong behind the last.
func (t *btree[T]) find(n *node[T], item T) (int, bool) {
	last := len(n.items) - 1
	if last < 0 {
		return 0, false
	}
	if c := t.compare(n.items[last], item); c <= 0 {
		if c == 0 {
			return last, true
		}
		return last + 1, false
	}
	return slices.BinarySearchFunc(n.items[:last], item, t.compare)
}

// childIndex returns which child of an inner node has the item, if any has.
func (t *btree[T]) childIndex(n *node[T], item T) int {
	i, found := t.find(n, item)
	if found || i == 0 {
		return i
	}
	return i - 1
}

// Get returns the item that is equal to the given one.
func (t *btree[T]) Get(item T) (found T, ok bool) {
	if at, found := t.findByPrefix(item); at.depth > 0 {
		return found, true
	}
	return t.get(item)
}

// get is Get without guides.
func (t *btree[T]) get(item T) (found T, ok bool) {
	n := t.root
	for n.children != nil {
		n = n.children[t.childIndex(n, item)]
	}
	if i, ok := t.find(n, item); ok {
		return n.items[i], true
	}
	return found, false
}

// findByPrefix finds an item by guides. If that fails, the depth of the spot is zero.
func (t *btree[T]) findByPrefix(want T) (at path, item T) {
	if t.name == nil {
		return path{}, item
	}
	name := t.name(want)
	for n := t.root; int(at.depth) < maxSteps; {
		g := t.prefixesOf(n)
		if g == nil {
			break
		}
		i, equal := g.find(name.prefix(g.common), func(i int) int { return t.compare(n.items[i], want) })
		if n.children == nil && !equal {
			break
		}
		at.steps[at.depth] = uint8(i)
		at.depth++
		if n.children == nil {
			return at, n.items[i]
		}
		n = n.children[i]
	}
	return path{}, item
}

// indexAfterSearches is how many searches a node must have seen since it changed.
const indexAfterSearches = 8

// prefixesOf returns the guide of a node, or nil if it has none yet. Any goroutine may call it
// that may read the node.
func (t *btree[T]) prefixesOf(n *node[T]) *prefixIndex {
	if g := n.prefixes.Load(); g != nil || len(n.items) == 0 || n.searched.Add(1) < indexAfterSearches {
		return g
	}
	g := newPrefixIndex(len(n.items), t.name(n.items[0]), t.name(n.last()), func(i int) keyName { return t.name(n.items[i]) })
	n.prefixes.Store(g)
	return g
}

// last returns the last item of a node and all its children.
func (n *node[T]) last() T {
	for n.children != nil {
		n = n.children[len(n.children)-1]
	}
	return n.items[len(n.items)-1]
}

// Find is Get for the only writer of a tree, who often writes the same item next.
func (t *btree[T]) Find(item T) (found T, ok bool) {
	if at, found := t.findByPrefix(item); at.depth > 0 {
		t.lastPath = at
		return found, true
	}
	t.lastPath = path{}
	at := path{}
	for n := t.root; int(at.depth) < maxSteps; {
		i, there := slices.BinarySearchFunc(n.items, item, t.compare)
		if n.children == nil && !there {
			return found, false
		}
		if !there {
			i = max(i-1, 0)
		}
		at.steps[at.depth] = uint8(i)
		at.depth++
		if n.children == nil {
			t.lastPath = at
			return n.items[i], true
		}
		n = n.children[i]
	}
	return t.get(item)
}

// replace is Set where the last Find found the item.
func (t *btree[T]) replace(item T) (old T, ok bool) {
	if t.lastPath.depth == 0 {
		return old, false
	}
	steps := t.lastPath.steps[:t.lastPath.depth]
	leaf := len(steps) - 1
	var way [maxSteps]*node[T]
	way[0] = t.root
	for level, step := range steps[:leaf] {
		way[level+1] = way[level].children[step]
	}
	old = way[leaf].items[steps[leaf]]
	if t.compare(old, item) != 0 {
		return old, false
	}
	way[0] = t.writable(t.root)
	t.root = way[0]
	for level, step := range steps[:leaf] {
		way[level+1] = t.writable(way[level+1])
		way[level].children[step] = way[level+1]
	}
	for level := leaf; ; level-- {
		way[level].items[steps[level]] = item
		if level == 0 || steps[level] > 0 { // else it is the first of its parent too
			return old, true
		}
	}
}

// Set puts an item in the place of its equal, which it returns, or adds it.
func (t *btree[T]) Set(item T) (old T, had bool) {
	if old, ok := t.replace(item); ok {
		return old, true
	}
	t.lastPath = path{}
	t.root = t.writable(t.root)
	old, had, right := t.set(t.root, item)
	if right != nil {
		t.root = &node[T]{owner: t.owner, items: []T{t.root.items[0], right.items[0]}, children: []*node[T]{t.root, right}}
	}
	if !had {
		t.len++
	}
	return old, had
}

// set works on a node of our own, and returns what was split off its end.
func (t *btree[T]) set(n *node[T], item T) (old T, had bool, right *node[T]) {
	if n.children == nil {
		i, found := t.find(n, item)
		if found {
			old, n.items[i] = n.items[i], item
			return old, true, nil
		}
		n.invalidate()
		n.items = slices.Insert(n.items, i, item)
		return old, false, t.split(n, i)
	}
	i := t.childIndex(n, item)
	kid := t.writable(n.children[i])
	n.children[i] = kid
	old, had, more := t.set(kid, item)
	n.items[i] = kid.items[0]
	if more != nil {
		i++
		n.invalidate()
		n.items = slices.Insert(n.items, i, more.items[0])
		n.children = slices.Insert(n.children, i, more)
		right = t.split(n, i)
	}
	return old, had, right
}

// split halves a node that is too large, into which something was put at i. What
// comes in order fills its nodes: then only the last item goes.
func (t *btree[T]) split(n *node[T], i int) *node[T] {
	if len(n.items) <= maxItems {
		return nil
	}
	at := len(n.items) / 2
	if i == len(n.items)-1 {
		at = i
	}
	right := &node[T]{owner: t.owner, items: cloneWithRoom(n.items[at:])}
	n.items = cloneWithRoom(n.items[:at])
	if n.children != nil {
		right.children = cloneWithRoom(n.children[at:])
		n.children = cloneWithRoom(n.children[:at])
	}
	return right
}

// Delete removes the item that is equal to the given one, and returns it.
func (t *btree[T]) Delete(item T) (old T, had bool) {
	if _, there := t.get(item); !there {
		return old, false
	}
	t.lastPath = path{}
	t.root = t.writable(t.root)
	old = t.delete(t.root, item)
	for len(t.root.children) == 1 {
		t.root = t.root.children[0]
	}
	if len(t.root.items) == 0 {
		t.root = &node[T]{owner: t.owner}
	}
	t.len--
	return old, true
}

// delete works on a node of our own that has the item.
func (t *btree[T]) delete(n *node[T], item T) (old T) {
	if n.children == nil {
		i, _ := t.find(n, item)
		old = n.items[i]
		n.invalidate()
		n.items = slices.Delete(n.items, i, i+1) // it clears what is left over
		return old
	}
	i := t.childIndex(n, item)
	kid := t.writable(n.children[i])
	n.children[i] = kid
	old = t.delete(kid, item)
	switch {
	case len(kid.items) == 0:
		n.remove(i)
	case len(kid.items) < minItems && len(n.children) > 1:
		n.items[i] = kid.items[0]
		t.join(n, max(i-1, 0))
	default:
		n.items[i] = kid.items[0]
	}
	return old
}

func (n *node[T]) remove(i int) {
	n.invalidate()
	n.items = slices.Delete(n.items, i, i+1)
	n.children = slices.Delete(n.children, i, i+1)
}

// join makes one of two neighbours, if that leaves room.
func (t *btree[T]) join(n *node[T], i int) {
	if len(n.children[i].items)+len(n.children[i+1].items) > maxItems*3/4 {
		return
	}
	left, right := t.writable(n.children[i]), n.children[i+1]
	left.invalidate()
	left.items = append(left.items, right.items...)
	if left.children != nil {
		left.children = append(left.children, right.children...)
	}
	n.children[i] = left
	n.remove(i + 1)
}

// Scan calls yield with all items in order, until it returns false.
func (t *btree[T]) Scan(yield func(T) bool) { scan(t.root, yield) }

func scan[T any](n *node[T], yield func(T) bool) bool {
	if n.children == nil {
		for _, item := range n.items {
			if !yield(item) {
				return false
			}
		}
		return true
	}
	for _, kid := range n.children {
		if !scan(kid, yield) {
			return false
		}
	}
	return true
}

// Ascend calls yield with the items from one on, in order, until it returns
// false.
func (t *btree[T]) Ascend(from T, yield func(T) bool) { t.ascend(t.root, from, yield) }

func (t *btree[T]) ascend(n *node[T], from T, yield func(T) bool) bool {
	if n.children == nil {
		i, _ := t.find(n, from)
		for _, item := range n.items[i:] {
			if !yield(item) {
				return false
			}
		}
		return true
	}
	i := t.childIndex(n, from)
	if !t.ascend(n.children[i], from, yield) {
		return false
	}
	for _, kid := range n.children[i+1:] {
		if !scan(kid, yield) {
			return false
		}
	}
	return true
}
