package store

import (
	"encoding/binary"
	"slices"
)

// prefixIndex narrows a search within a node to the items that can match, without reading their
// keys: these are all over the memory of a large store, and to load them costs more
// than all else that is done to find an object.
//
// A tag is four bytes of a key, from where the keys of the node begin to differ. Whoever
// looks by tags compares the key at the end, and searches by keys if it is another one. So
// tags that are out of order, or out of date, cost time and nothing else.
type prefixIndex struct {
	common   int
	prefixes []uint32 // as many as items
}

// newPrefixIndex makes the guide of n items. first and last are the names of the first one and of
// the last one that a search may look for.
func newPrefixIndex(n int, first, last keyName, name func(i int) keyName) *prefixIndex {
	g := &prefixIndex{prefixes: make([]uint32, n)}
	for first.at(g.common) == last.at(g.common) && g.common < first.len() {
		g.common++
	}
	for i := range n {
		g.prefixes[i] = name(i).prefix(g.common)
	}
	return g
}

// find returns the last item that is not behind the wanted one, as far as tags tell, and
// whether it is equal. Of items with the same tag it compares the keys: compare does so
// for the item at i.
func (g *prefixIndex) find(tag uint32, compare func(i int) int) (int, bool) {
	from, found := slices.BinarySearch(g.prefixes, tag)
	if !found {
		return max(from-1, 0), false
	}
	to := from + 1
	for to < len(g.prefixes) && g.prefixes[to] == tag {
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

// prefix returns the four bytes from i on.
func (k keyName) prefix(i int) uint32 {
	if from := i - k.before - 2; from >= k.name && from+4 <= len(k.all) {
		return binary.BigEndian.Uint32(k.all[from:])
	}
	return uint32(k.at(i))<<24 | uint32(k.at(i+1))<<16 | uint32(k.at(i+2))<<8 | uint32(k.at(i+3))
}
