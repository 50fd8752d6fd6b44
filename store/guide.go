package store

import "slices"

// worthGuide is how many searches a node must have seen since it changed.
const worthGuide = 8

// guideOf returns the guide of a node, or nil if it has none yet. Any goroutine may call it
// that may read the node.
func guideOf(n *node[Entry]) *guide {
	if g := n.guide.Load(); g != nil || len(n.items) == 0 || n.searched.Add(1) < worthGuide {
		return g
	}
	first, last := nameOf(n.items[0]), nameOf(n.items[len(n.items)-1])
	g := &guide{tags: make([]uint32, len(n.items))}
	for first.at(g.prefix) == last.at(g.prefix) && g.prefix < first.len() {
		g.prefix++
	}
	for i, e := range n.items {
		g.tags[i] = nameOf(e).tag(g.prefix)
	}
	n.guide.Store(g)
	return g
}

// keyName is the key of an entry as one string: its parts, with a zero between them, which
// sorts as keys do.
type keyName struct {
	all             []byte
	namespace, name int // where they begin in all
}

func nameOf(e Entry) keyName {
	all, namespace, name := e.names()
	return keyName{all, namespace, name}
}

func (k keyName) len() int { return len(k.all) + 2 }

// at returns a byte of the name, zero behind its end.
func (k keyName) at(i int) byte {
	switch {
	case i < k.namespace:
	case i == k.namespace || i == k.name+1:
		return 0
	case i <= k.name:
		i--
	default:
		i -= 2
	}
	if i >= len(k.all) {
		return 0
	}
	return k.all[i]
}

// tag returns the four bytes from i on.
func (k keyName) tag(i int) uint32 {
	if from := i - 2; i > k.name+1 && from+4 <= len(k.all) {
		b := k.all[from : from+4]
		return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	}
	return uint32(k.at(i))<<24 | uint32(k.at(i+1))<<16 | uint32(k.at(i+2))<<8 | uint32(k.at(i+3))
}

// findEntry is t.Find, by guides as far as there are any.
func findEntry(t *tree, want Entry) (Entry, bool) {
	if at, e := seek(t, want); at.depth > 0 {
		t.spot = at
		return e, true
	}
	return t.Find(want)
}

// getEntry is t.Get, by guides as far as there are any.
func getEntry(t *tree, want Entry) (Entry, bool) {
	if at, e := seek(t, want); at.depth > 0 {
		return e, true
	}
	return t.Get(want)
}

// seek finds an entry by guides. If that fails, the depth of the spot is zero.
func seek(t *tree, want Entry) (at spot, e Entry) {
	name := nameOf(want)
	for n := t.root; int(at.depth) < maxSteps; {
		g := guideOf(n)
		if g == nil {
			break
		}
		i, equal := g.find(n, name.tag(g.prefix), want)
		if n.kids == nil && !equal {
			break
		}
		at.steps[at.depth] = uint8(i)
		at.depth++
		if n.kids == nil {
			return at, n.items[i]
		}
		n = n.kids[i]
	}
	return spot{}, Entry{}
}

// find returns the last item that is not behind the wanted one, as far as tags tell, and
// whether it is equal. Of items with the same tag it compares the keys.
func (g *guide) find(n *node[Entry], tag uint32, want Entry) (int, bool) {
	from, found := slices.BinarySearch(g.tags, tag)
	if !found {
		return max(from-1, 0), false
	}
	to := from + 1
	for to < len(g.tags) && g.tags[to] == tag {
		to++
	}
	i, equal := slices.BinarySearchFunc(n.items[from:to], want, compareEntries)
	if i += from; !equal {
		i = max(i-1, 0)
	}
	return i, equal
}
