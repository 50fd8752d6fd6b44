package store

import (
	"slices"
	"sync/atomic"
)

const (
	// maxItems is the maximum number of items or children of a node.
	maxItems = 32
	// minItems is the number of items below which a node is joined with a neighbor that
	// has room.
	minItems = maxItems / 4
	// spareItems is the spare capacity of a copied node. Most copies are used for only
	// one batch.
	spareItems = 4
)

// btree is an ordered set of items. Copying it is O(1): the copies share nodes until one
// of them is written, which copies the nodes on the path to the leaf. Any number of
// goroutines may read a copy that is not written.
//
// It is a B+ tree that refers only to its current items. A removed or replaced item
// remains neither as a separator nor in the unused capacity of a slice, where it would
// keep a slab in memory.
type btree[T any] struct {
	root     *node[T]
	len      int
	owner    *owner
	compare  func(a, b T) int
	name     func(T) keyName // nil for a tree without prefix indexes
	lastPath path
	vacant   place[T]
}

// path is the position of the item that the last Find found. Set looks there first: the
// writer of a store finds an object before it writes it, and most of the cost of both
// operations is comparing keys.
type path struct {
	depth uint8 // number of steps; 0 if there is no position
	steps [maxSteps]uint8
}

func (p *path) add(step int) {
	p.steps[p.depth] = uint8(step)
	p.depth++
}

// place is where an item belongs that the last seek did not find. Each change of the tree
// clears it. neighbors and Set look there first.
type place[T any] struct {
	path         // the last step is the index in the leaf
	next    T    // the first item after it
	hasNext bool // false: it belongs at the end of the tree
}

// maxSteps is the depth of the deepest tree for which positions are recorded. A tree of
// millions of items has five levels.
const maxSteps = 7

// owner identifies the tree whose writer may modify a node in place. No two trees have
// the same owner.
type owner struct{ _ byte }

// node is a leaf, or an inner node. The items of an inner node are the first items of its
// children.
type node[T any] struct {
	owner    *owner
	items    []T
	children []*node[T] // nil in a leaf

	prefixes atomic.Pointer[prefixIndex] // nil once items have changed
	searched atomic.Uint32               // number of searches since then
}

// invalidate removes the prefix index of a node before items are added or removed.
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
	t.vacant = place[T]{}
	c := *t
	c.lastPath = path{} // concurrent readers of the copy must not share it
	t.owner, c.owner = new(owner), new(owner)
	return &c
}

// writable returns the node itself if it may be modified, or a copy.
func (t *btree[T]) writable(n *node[T]) *node[T] {
	if n.owner == t.owner {
		return n
	}
	c := &node[T]{owner: t.owner, items: cloneWithRoom(n.items), children: cloneWithRoom(n.children)}
	c.prefixes.Store(n.prefixes.Load())
	c.searched.Store(n.searched.Load())
	return c
}

// cloneWithRoom copies a slice with spare capacity.
func cloneWithRoom[E any](s []E) []E {
	if s == nil {
		return nil
	}
	return append(make([]E, 0, min(len(s)+spareItems, maxItems+1)), s...)
}

// find returns the index of the item in a node, or the index where it belongs. Lists
// arrive in the order of their keys, or nearly so, so most items belong after the last
// one.
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

// childIndex returns the index of the child that may contain the item.
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

// get is Get without prefix indexes.
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

// seek is get for the writer of the tree. It remembers where an absent item belongs, because
// the writer usually adds it next.
func (t *btree[T]) seek(item T) (found T, ok bool) {
	t.vacant = place[T]{}
	var p place[T]
	n := t.root
	for n.children != nil {
		if p.depth == maxSteps-1 {
			return t.get(item)
		}
		i := t.childIndex(n, item)
		if i+1 < len(n.items) {
			p.next, p.hasNext = n.items[i+1], true
		}
		p.add(i)
		n = n.children[i]
	}
	i, ok := t.find(n, item)
	if ok {
		return n.items[i], true
	}
	if i < len(n.items) {
		p.next, p.hasNext = n.items[i], true
	}
	p.add(i)
	t.vacant = p
	return found, false
}

// vacancy returns the leaf and the index where an item belongs, if it belongs where the last
// seek found nothing.
func (t *btree[T]) vacancy(item T) (leaf *node[T], at int, ok bool) {
	p := &t.vacant
	if p.depth == 0 {
		return nil, 0, false
	}
	leaf = t.root
	for _, step := range p.steps[:p.depth-1] {
		leaf = leaf.children[step]
	}
	at = int(p.steps[p.depth-1])
	if at > 0 && t.compare(leaf.items[at-1], item) >= 0 || p.hasNext && t.compare(item, p.next) >= 0 {
		return nil, 0, false
	}
	return leaf, at, true
}

// fill adds an item where the last seek found nothing. It returns false if the item belongs
// elsewhere, or the leaf is full.
func (t *btree[T]) fill(item T) bool {
	leaf, at, ok := t.vacancy(item)
	if !ok || len(leaf.items) == maxItems {
		return false
	}
	t.root = t.writable(t.root)
	n := t.root
	for _, step := range t.vacant.steps[:t.vacant.depth-1] {
		if at == 0 { // it becomes the first item of the tree
			n.items[step] = item
		}
		n.children[step] = t.writable(n.children[step])
		n = n.children[step]
	}
	n.invalidate()
	n.items = slices.Insert(n.items, at, item)
	t.len++
	return true
}

// neighbors returns the items of the same leaf before and after an item, which the tree may
// contain or not. They are zero if the leaf has none.
func (t *btree[T]) neighbors(item T) (before, after T) {
	n, i, vacant := t.vacancy(item)
	found := false
	if !vacant {
		for n = t.root; n.children != nil; {
			n = n.children[t.childIndex(n, item)]
		}
		i, found = t.find(n, item)
	}
	if i > 0 {
		before = n.items[i-1]
	}
	if found {
		i++
	}
	if i < len(n.items) {
		after = n.items[i]
	}
	return before, after
}

// findByPrefix finds an item with prefix indexes. If it fails, the depth of the path is
// zero.
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
		at.add(i)
		if n.children == nil {
			return at, n.items[i]
		}
		n = n.children[i]
	}
	return path{}, item
}

// indexAfterSearches is the number of searches in an unchanged node after which it gets a
// prefix index.
const indexAfterSearches = 8

// prefixesOf returns the prefix index of a node, or nil if it has none yet. Any goroutine
// that may read the node may call it.
func (t *btree[T]) prefixesOf(n *node[T]) *prefixIndex {
	if g := n.prefixes.Load(); g != nil || len(n.items) == 0 || n.searched.Add(1) < indexAfterSearches {
		return g
	}
	g := newPrefixIndex(len(n.items), t.name(n.items[0]), t.name(n.last()), func(i int) keyName { return t.name(n.items[i]) })
	n.prefixes.Store(g)
	return g
}

// last returns the last item below a node.
func (n *node[T]) last() T {
	for n.children != nil {
		n = n.children[len(n.children)-1]
	}
	return n.items[len(n.items)-1]
}

// Find is Get for the writer of the tree. It remembers the position, because the writer
// often writes the same item next.
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
		at.add(i)
		if n.children == nil {
			t.lastPath = at
			return n.items[i], true
		}
		n = n.children[i]
	}
	return t.get(item)
}

// replace is Set for an item that the last Find found.
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
		if level == 0 || steps[level] > 0 { // otherwise it is also the first item of the parent
			return old, true
		}
	}
}

// Set replaces the equal item, and returns it, or adds the item.
func (t *btree[T]) Set(item T) (old T, had bool) {
	if old, ok := t.replace(item); ok {
		t.vacant = place[T]{}
		return old, true
	}
	t.lastPath = path{}
	filled := t.fill(item)
	if t.vacant = (place[T]{}); filled {
		return old, false
	}
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

// set sets an item in a node that may be modified. It returns the node that was split
// off, if any.
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

// split splits a node that is too large after an insertion at i. If the insertion was at
// the end, only the last item moves to the new node, so that sorted input fills its
// nodes.
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
	t.lastPath, t.vacant = path{}, place[T]{}
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

// delete deletes the item from a node that contains it and may be modified.
func (t *btree[T]) delete(n *node[T], item T) (old T) {
	if n.children == nil {
		i, _ := t.find(n, item)
		old = n.items[i]
		n.invalidate()
		n.items = slices.Delete(n.items, i, i+1) // Delete clears the unused end
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

// join joins the children i and i+1, if the result is not too full.
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
