package store

import (
	"encoding/binary"
	"slices"
)

// prefixIndex narrows a search within a node to the items that can match, without reading
// their keys. The keys are spread over the memory of a large store, and loading them
// costs more than all other work of a lookup.
//
// A tag is four bytes of a key, from the position at which the keys of the node begin to
// differ. After a search by tags, the caller compares the found key, and searches by keys
// if it differs. So tags that are out of order or out of date cost time, but never lead
// to a wrong result.
type prefixIndex struct {
	common   int
	prefixes []uint32 // one per item
}

// newPrefixIndex returns the prefix index of n items. first and last are the names of the
// first and the last item below the node.
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

// find returns the last item that is not after the wanted one, according to the tags, and
// whether it is equal. Among items with the same tag it compares keys: compare compares
// the key of item i with the wanted key.
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

// keyName is the key of an entry as one string: its parts, with a zero byte between them,
// which sorts as keys do. The name of a posting begins with the value and a zero byte.
type keyName struct {
	value           []byte
	before          int // the length of the value and its zero byte; 0 without a value
	all             []byte
	namespace, name int // their offsets in all
}

func nameOf(e Entry) keyName {
	all, namespace, name := e.names()
	return keyName{all: all, namespace: namespace, name: name}
}

func (k keyName) len() int { return k.before + len(k.all) + 2 }

// at returns a byte of the name, or zero after its end.
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

// prefix returns the four bytes from offset i on.
func (k keyName) prefix(i int) uint32 {
	if from := i - k.before - 2; from >= k.name && from+4 <= len(k.all) {
		return binary.BigEndian.Uint32(k.all[from:])
	}
	return uint32(k.at(i))<<24 | uint32(k.at(i+1))<<16 | uint32(k.at(i+2))<<8 | uint32(k.at(i+3))
}
