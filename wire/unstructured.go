package wire

import (
	"sync"
)

// tree decodes an object into maps and slices.
type tree struct {
	b       []byte
	i       int
	waiting []member // members of the maps and slices that are being read, the innermost last
	scratch []byte   // for strings whose text differs from their bytes
}

// member is a member of a map, or an element of a slice, which has no key.
type member struct {
	key   string
	value any
}

const (
	// treeDepth is the maximum nesting of an object that a tree decodes.
	treeDepth = 500
	// treeKeep is the maximum capacity, in members and bytes, of a tree that is reused.
	treeKeep = 4096
)

var trees = sync.Pool{New: func() any { return new(tree) }}

// release returns t to the pool, without references to other memory.
func (t *tree) release() {
	if cap(t.waiting) > treeKeep || cap(t.scratch) > treeKeep {
		return
	}
	t.b = nil
	clear(t.waiting[:cap(t.waiting)])
	t.waiting = t.waiting[:0]
	trees.Put(t)
}

// object returns a map of the waiting members from index from on.
func (t *tree) object(from int) map[string]any {
	members := t.waiting[from:]
	m := make(map[string]any, len(members))
	for i := range members {
		m[members[i].key] = members[i].value
	}
	t.waiting = t.waiting[:from]
	return m
}

// array returns a slice of the waiting members, as object returns a map.
func (t *tree) array(from int) []any {
	elements := t.waiting[from:]
	a := make([]any, len(elements))
	for i := range elements {
		a[i] = elements[i].value
	}
	t.waiting = t.waiting[:from]
	return a
}

// boxes caches strings in interfaces, which objects share.
var boxes memo[any]

// boxed returns text as a string in an interface.
func boxed(text []byte) any {
	known, again := boxes.find(text)
	if known != nil {
		return known.value
	}
	s := string(text)
	v := any(s)
	if again {
		boxes.keep(s, v)
	}
	return v
}
