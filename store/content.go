package store

import (
	"bytes"
	"encoding/binary"

	"github.com/vedette-io/vedette/wire"
)

// UID and version name what the server stores, not what it shows: a new default in a
// schema, another served version or an upgrade of the server changes the content of an
// object at the same version. Therefore the store compares content.

// Sum returns the hash of the body if Config.Bodies or Config.KeepObject let the store drop
// bodies, and 0 otherwise.
func (e Entry) Sum() uint64 {
	if h := e.header(); h.sum != nil {
		return binary.LittleEndian.Uint64(h.sum)
	}
	return 0
}

// SameContent reports whether both are one revision with one content. Two entries of one
// content may differ, because the store may have moved the record. UID and version alone
// do not prove it: the server may show other content at the same version.
func (e Entry) SameContent(other Entry) bool {
	if e == other {
		return true
	}
	if e.slab == nil || other.slab == nil {
		return false
	}
	x, y := e.header(), other.header()
	return x.version == y.version && bytes.Equal(x.uid, y.uid) && sameBodies(e, other, &x, &y)
}

// sameBodies compares the bodies of two entries. It unpacks them only if they are packed in
// different ways.
func sameBodies(a, b Entry, x, y *header) bool {
	if x.sum != nil && bytes.Equal(x.sum, y.sum) {
		return true
	}
	if x.format() == formatNone || y.format() == formatNone {
		return x.sum == nil && Sum(a.body(nil, x)) == b.Sum() || y.sum == nil && Sum(b.body(nil, y)) == a.Sum()
	}
	p, q := skipColumns(x.rest, a.slab.columns), skipColumns(y.rest, b.slab.columns)
	_, m := uvarint(p)
	_, n := uvarint(q)
	after, _ := a.reference()
	like, _ := b.reference()
	if x.flags == y.flags && a.slab.dict == b.slab.dict && after == like {
		if after != nil { // the numbers of a reference differ between slabs
			m, n = m+1, n+1
		}
		if bytes.Equal(p[m:], q[n:]) {
			return true
		}
	}
	r, s := a.Record(), b.Record()
	return wire.SameContent(&r, &s)
}
