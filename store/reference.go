package store

import (
	"sync"

	"github.com/vedette-io/vedette/internal/pack"
)

// reference is the body that the bodies of its siblings are packed after: objects with one
// generated name, such as the pods of a ReplicaSet. It is packed with a dictionary, so
// reading a sibling takes two steps. It is immutable. Slabs refer to the references of their
// records, and the garbage collector frees a reference when no slab does.
type reference struct {
	dict  *pack.Dictionary
	bytes []byte // names, and the packed body
	names int    // length of the names
	size  int    // size of the body
}

// appendBody appends the body to dst.
func (r *reference) appendBody(dst []byte) []byte {
	dst, _ = r.dict.Unpack(dst, r.bytes[:r.names], r.bytes[r.names:], r.size) // the store has packed it
	return dst
}

// maxReferences is the maximum number of references of a slab. The number of a reference takes a
// byte.
const maxReferences = 256

// referencesAtOnce is the number of references for which a slab gets room at once. Records in the
// order of their names have few references.
const referencesAtOnce = 16

// references are the references of the records of a slab. The writer adds references, and readers
// use those of the records that they can see. Neither moves nor changes a reference.
type references struct {
	all [maxReferences / referencesAtOnce][]*reference
	n   int // for the writer only
}

func (r *references) at(i int) *reference { return r.all[i/referencesAtOnce][i%referencesAtOnce] }

// number returns the number of a reference, and adds the reference if it is new. It returns -1
// if there is no room.
func (r *references) number(one *reference) int {
	for i := r.n - 1; i >= 0; i-- { // siblings usually follow each other
		if r.at(i) == one {
			return i
		}
	}
	if r.n == maxReferences {
		return -1
	}
	if r.n%referencesAtOnce == 0 {
		r.all[r.n/referencesAtOnce] = make([]*reference, referencesAtOnce)
	}
	r.all[r.n/referencesAtOnce][r.n%referencesAtOnce] = one
	r.n++
	return r.n - 1
}

// referenceBodies are buffers for the bodies of references.
var referenceBodies = sync.Pool{New: func() any { return new([]byte) }}

// unpackAfter appends the body of n bytes that was packed after the body of a reference.
func (r *reference) unpackAfter(dst []byte, dict *pack.Dictionary, names, packed []byte, n int) []byte {
	buffer := referenceBodies.Get().(*[]byte)
	defer referenceBodies.Put(buffer)
	*buffer = r.appendBody((*buffer)[:0])
	dst, _ = dict.UnpackAfter(dst, *buffer, names, packed, n)
	return dst
}
