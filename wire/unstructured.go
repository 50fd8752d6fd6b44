package wire

import (
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	kjson "sigs.k8s.io/json"
)

// decodeUnstructured decodes an object without a type. The decoders of this package
// take what servers send; where they find anything else, the libraries of the
// Kubernetes API decode the object again, and say what is wrong with it.
func decodeUnstructured(enc Encoding, body []byte, u *unstructured.Unstructured) error {
	t := trees.Get().(*tree)
	t.b, t.i = body, 0
	var content any
	var ok bool
	if enc == JSON {
		content, ok = t.json()
	} else {
		content, ok = t.cbor()
	}
	t.release()
	if object, isObject := content.(map[string]any); ok && isObject {
		u.Object = object
		return nil
	}
	if enc == JSON {
		return kjson.UnmarshalCaseSensitivePreserveInts(body, &u.Object)
	}
	return direct.Unmarshal(body, &u.Object)
}

// tree makes maps and slices of an encoded object.
type tree struct {
	b       []byte
	i       int
	waiting []member // of the maps and slices that are being read, the innermost last
	scratch []byte   // for strings that are not there as they are
}

// member is a member of a map, or without a key an element of a slice.
type member struct {
	key   string
	value any
}

const (
	// treeDepth is how deep an object may nest that a tree is made of.
	treeDepth = 500
	// treeKeep is how many members and bytes a tree may have room for that is used again.
	treeKeep = 4096
)

var trees = sync.Pool{New: func() any { return new(tree) }}

// release gives t back, and what it refers to free.
func (t *tree) release() {
	if cap(t.waiting) > treeKeep || cap(t.scratch) > treeKeep {
		return
	}
	t.b = nil
	clear(t.waiting[:cap(t.waiting)])
	t.waiting = t.waiting[:0]
	trees.Put(t)
}

// object makes a map of the members that wait since there were from of them.
func (t *tree) object(from int) map[string]any {
	members := t.waiting[from:]
	m := make(map[string]any, len(members))
	for i := range members {
		m[members[i].key] = members[i].value
	}
	t.waiting = t.waiting[:from]
	return m
}

// array makes a slice, as object makes a map.
func (t *tree) array(from int) []any {
	elements := t.waiting[from:]
	a := make([]any, len(elements))
	for i := range elements {
		a[i] = elements[i].value
	}
	t.waiting = t.waiting[:from]
	return a
}

// boxes are strings in interfaces, which objects share.
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
