package store

import (
	"encoding/binary"
	"slices"
)

// worthGuide is how many searches a node must have seen since it changed.
const worthGuide = 8

// guideOf returns the guide of a node, or nil if it has none yet. Any goroutine may call it
// that may read the node.
func (t *btree[T]) guideOf(n *node[T]) *guide {
	if g := n.guide.Load(); g != nil || len(n.items) == 0 || n.searched.Add(1) < worthGuide {
		return g
	}
	first, last := t.name(n.items[0]), t.name(n.last())
	g := &guide{tags: make([]uint32, len(n.items))}
	for first.at(g.prefix) == last.at(g.prefix) && g.prefix < first.len() {
		g.prefix++
	}
	for i, item := range n.items {
		g.tags[i] = t.name(item).tag(g.prefix)
	}
	n.guide.Store(g)
	return g
}

// last returns the last item of a node and all its children.
func (n *node[T]) last() T {
	for n.kids != nil {
		n = n.kids[len(n.kids)-1]
	}
	return n.items[len(n.items)-1]
}

// keyName is the key of an entry as one string: its parts, with a zero between them, which
// sorts as keys do. That of a posting begins with the value, and a zero.
type keyName struct {
	value           []byte
	before          int // the length of the value with its zero; 0 for no value
	all             []byte
	namespace, name int // where they begin in all
}

func nameOf(e Entry) keyName {
	all, namespace, name := e.names()
	return keyName{all: all, namespace: namespace, name: name}
}

func (k keyName) len() int { return k.before + len(k.all) + 2 }

// at returns a byte of the name, zero behind its end.
func (k keyName) at(i int) byte {
	if i < k.before {
		if i < len(k.value) {
			return k.value[i]
		}
		return 0
	}
	i -= k.before
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
	if from := i - k.before - 2; from >= k.name && from+4 <= len(k.all) {
		return binary.BigEndian.Uint32(k.all[from:])
	}
	return uint32(k.at(i))<<24 | uint32(k.at(i+1))<<16 | uint32(k.at(i+2))<<8 | uint32(k.at(i+3))
}

// seek finds an item by guides. If that fails, the depth of the spot is zero.
func (t *btree[T]) seek(want T) (at spot, item T) {
	if t.name == nil {
		return spot{}, item
	}
	name := t.name(want)
	for n := t.root; int(at.depth) < maxSteps; {
		g := t.guideOf(n)
		if g == nil {
			break
		}
		i, equal := g.find(name.tag(g.prefix), func(i int) int { return t.compare(n.items[i], want) })
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
	return spot{}, item
}

// find returns the last item that is not behind the wanted one, as far as tags tell, and
// whether it is equal. Of items with the same tag it compares the keys: compare does so
// for the item at i.
func (g *guide) find(tag uint32, compare func(i int) int) (int, bool) {
	from, found := slices.BinarySearch(g.tags, tag)
	if !found {
		return max(from-1, 0), false
	}
	to := from + 1
	for to < len(g.tags) && g.tags[to] == tag {
		to++
	}
	for from < to {
		mid := (from + to) / 2
		switch c := compare(mid); {
		case c == 0:
			return mid, true
		case c < 0:
			from = mid + 1
		default:
			to = mid
		}
	}
	return max(from-1, 0), false
}
