package store

import (
	"bytes"
	"encoding/binary"

	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/wire"
)

// slab is a piece of memory that holds records one behind the other, without
// pointers: the garbage collector passes over it as a whole, and frees it when
// no tree, change or snapshot leads to it any more. The bytes of a record are
// written once, before anybody can see the record.
type slab struct {
	buf     []byte
	dict    *pack.Dictionary // what bodies are packed with, nil if they are not
	columns int              // how many indexes the records have values of
	object  any              // Live: the decoded object of the only record, or unusable
	*usage                   // nil if the slab has one record, and is in no arena
}

// usage is what the writer notes of a slab in an arena. It is apart from the slab, of which
// a Live store has one for each object.
type usage struct {
	end, dead int      // where records end, and bytes that no live record has
	freed     []uint64 // a bit for each eight bytes in which a dead record begins; nil if none does
}

// unusable takes the place of an object that could not be decoded.
type unusable struct{ error }

// hold puts the result of Config.Decode into the slab of its only record.
func (s *slab) hold(object any, err error) {
	if err != nil {
		object = unusable{err}
	}
	s.object = object
}

// Entry is one revision of an object as the store keeps it. It is a small value
// that may be kept and passed to any goroutine; the zero value is no entry.
// What it leads to never changes.
type Entry struct {
	slab *slab
	off  uint32
}

// IsZero reports whether there is no revision.
func (e Entry) IsZero() bool { return e.slab == nil }

// The layout of a record in a slab. Lengths are uvarints.
//
//	flags      encoding (bits 0-3), manner (bits 4-5)
//	size       of all that follows
//	lengths    of cluster, namespace, name and uid
//	names      cluster, namespace, name and uid
//	version    uvarint
//	columns    for each index: count, and for each value its length and bytes
//	raw        length of the body
//	body       packed or as it came
const (
	encodingMask = 0x0f
	formatShift  = 4
	formatMask   = 0x03
)

// header is what stands before the columns of a record.
type header struct {
	flags                         byte
	cluster, namespace, name, uid []byte
	version                       wire.Version
	names                         []byte // all of them
	rest                          []byte // columns, raw and body
}

func (h *header) format() bodyFormat { return bodyFormat(h.flags >> formatShift & formatMask) }

// bytes returns the record without flags and size, and the flags.
func (e Entry) bytes() (rest []byte, flags byte) {
	b := e.slab.buf[e.off:]
	size, n := uvarint(b[1:])
	return b[1+n : 1+n+size], b[0]
}

// length is how many bytes the record takes in its slab.
func (e Entry) length() int {
	size, n := uvarint(e.slab.buf[e.off+1:])
	return 1 + n + size
}

// uvarint reads a length that the store has written itself.
func uvarint(b []byte) (v, n int) {
	if b[0] < 0x80 {
		return int(b[0]), 1
	}
	long, n := binary.Uvarint(b)
	return int(long), n
}

func (e Entry) header() header {
	b, flags := e.bytes()
	h := header{flags: flags}
	c, ns, nm, uid, at := nameLengths(b)
	h.names = b[at : at+c+ns+nm+uid]
	h.cluster, h.namespace = h.names[:c], h.names[c:c+ns]
	h.name, h.uid = h.names[c+ns:c+ns+nm], h.names[c+ns+nm:]
	at += len(h.names)
	version, n := binary.Uvarint(b[at:])
	h.version, h.rest = wire.Version(version), b[at+n:]
	return h
}

// nameLengths reads the lengths that b begins with, and returns where the names
// begin. Almost always they are one byte each.
func nameLengths(b []byte) (cluster, namespace, name, uid, names int) {
	if l := b[:4]; l[0]|l[1]|l[2]|l[3] < 0x80 {
		return int(l[0]), int(l[1]), int(l[2]), int(l[3]), 4
	}
	for _, length := range [...]*int{&cluster, &namespace, &name, &uid} {
		n := 0
		*length, n = uvarint(b[names:])
		names += n
	}
	return cluster, namespace, name, uid, names
}

// afterSize returns the record without flags and size, and what follows it.
func (e Entry) afterSize() []byte {
	b := e.slab.buf[e.off+1:]
	for b[0] >= 0x80 {
		b = b[1:]
	}
	return b[1:]
}

// columns returns the columns, and what follows them.
func (e Entry) columns() []byte {
	b := e.afterSize()
	c, ns, nm, uid, at := nameLengths(b)
	at += c + ns + nm + uid
	for b[at] >= 0x80 { // the version
		at++
	}
	return b[at+1:]
}

// skipColumns returns what stands behind n columns.
func skipColumns(b []byte, n int) []byte {
	for range n {
		count, size := uvarint(b)
		b = b[size:]
		for range count {
			length, size := uvarint(b)
			b = b[size+length:]
		}
	}
	return b
}

// values calls yield with each value of a column, in order.
func (e Entry) values(column int, yield func(nth int, value []byte)) {
	b := skipColumns(e.columns(), column)
	count, size := uvarint(b)
	b = b[size:]
	for nth := range count {
		length, size := uvarint(b)
		yield(nth, b[size:size+length])
		b = b[size+length:]
	}
}

// value returns one value of a column.
func (e Entry) value(column, nth int) []byte {
	b := skipColumns(e.columns(), column)
	_, size := uvarint(b)
	b = b[size:]
	for {
		length, size := uvarint(b)
		if nth == 0 {
			return b[size : size+length]
		}
		b = b[size+length:]
		nth--
	}
}

// Key names the object. It allocates one string.
func (e Entry) Key() wire.Key {
	h := e.header()
	names := string(h.names[:len(h.cluster)+len(h.namespace)+len(h.name)])
	c, n := len(h.cluster), len(h.cluster)+len(h.namespace)
	return wire.Key{Cluster: names[:c], Namespace: names[c:n], Name: names[n:]}
}

// UID tells the object from its namesakes.
func (e Entry) UID() string { return string(e.header().uid) }

// Version is the resourceVersion of this revision.
func (e Entry) Version() wire.Version { return e.header().version }

// AppendUID appends the UID to dst. It also returns the version: the two together identify
// a revision.
func (e Entry) AppendUID(dst []byte) ([]byte, wire.Version) {
	h := e.header()
	return append(dst, h.uid...), h.version
}

// Record unpacks the revision. The body is new; it belongs to the caller. It is nil if the
// store keeps the object in its place.
func (e Entry) Record() wire.Record {
	h := e.header()
	rec := e.record(&h)
	rec.Body = e.body(nil, &h)
	return rec
}

// View is Record without a new body: it is in scratch, which grows to what is needed, or
// in the memory of the store if it is not packed there. Nobody may change it. It is valid
// until the next use of scratch.
func (e Entry) View(scratch *[]byte) wire.Record {
	h := e.header()
	rec := e.record(&h)
	if h.format() == formatPlain {
		b := skipColumns(h.rest, e.slab.columns)
		raw, n := uvarint(b)
		rec.Body = b[n : n+raw : n+raw]
		return rec
	}
	rec.Body = e.body((*scratch)[:0], &h)
	if rec.Body != nil {
		*scratch = rec.Body
	}
	return rec
}

// record returns the record without its body.
func (e Entry) record(h *header) wire.Record {
	names := string(h.names)
	c := len(h.cluster)
	n := c + len(h.namespace)
	u := n + len(h.name)
	return wire.Record{
		Key:      wire.Key{Cluster: names[:c], Namespace: names[c:n], Name: names[n:u]},
		UID:      names[u:],
		Version:  h.version,
		Encoding: wire.Encoding(h.flags & encodingMask),
	}
}

// body appends the unpacked body to dst.
func (e Entry) body(dst []byte, h *header) []byte {
	if h.format() == formatNone {
		return nil
	}
	b := skipColumns(h.rest, e.slab.columns)
	raw, n := uvarint(b)
	if dst == nil || cap(dst)-len(dst) < raw {
		dst = append(make([]byte, 0, len(dst)+raw), dst...)
	}
	return unpack(dst, h.format(), e.slab.dict, h.names, b[n:], raw)
}

// Len is the length of the body in bytes, unpacked.
func (e Entry) Len() int {
	raw, _ := uvarint(skipColumns(e.columns(), e.slab.columns))
	return raw
}

// Object returns the decoded object that all readers share, where Config.Decode
// is set, and nil where it is not. It must not be changed.
//
// Errors: what Config.Decode said of it.
func (e Entry) Object() (any, error) {
	if u, ok := e.slab.object.(unusable); ok {
		return nil, u.error
	}
	return e.slab.object, nil
}

// names returns the cluster, the namespace and the name, one behind the other,
// and where the latter two begin.
func (e Entry) names() (all []byte, namespace, name int) {
	b := e.afterSize()
	c, ns, nm, _, at := nameLengths(b)
	return b[at : at+c+ns+nm], c, c + ns
}

// Compare orders entries as snapshots do: by cluster, namespace and name. It is zero for
// two revisions of one object, and for namesakes.
func (e Entry) Compare(other Entry) int { return compareEntries(e, other) }

// SameRevision reports whether both have the same UID and version. Two entries of one
// revision differ if the store has moved it. A server whose versions do not tell revisions
// apart has version zero, which is never the same.
func (e Entry) SameRevision(other Entry) bool {
	a, b := e.header(), other.header()
	return a.version == b.version && a.version != 0 && bytes.Equal(a.uid, b.uid)
}

// compareEntries orders by key.
func compareEntries(a, b Entry) int {
	x, xns, xn := a.names()
	y, yns, yn := b.names()
	if xns == yns && xn == yn { // what one ends with can not be a part of what the other begins with
		return bytes.Compare(x, y)
	}
	if xns+yns > 0 {
		if c := bytes.Compare(x[:xns], y[:yns]); c != 0 {
			return c
		}
	}
	if c := bytes.Compare(x[xns:xn], y[yns:yn]); c != 0 {
		return c
	}
	return bytes.Compare(x[xn:], y[yn:])
}

// is reports whether the entry is this very revision.
func (e Entry) is(rec *wire.Record) bool {
	h := e.header()
	return h.version == rec.Version && rec.Version != 0 && string(h.uid) == rec.UID
}

// sameObject tells revisions of one object from those of its namesakes.
func (e Entry) sameObject(rec *wire.Record) bool { return string(e.header().uid) == rec.UID }

func sameUID(a, b Entry) bool { return bytes.Equal(a.header().uid, b.header().uid) }

// sameContent reports whether two entries have the same version and the same body. Without
// bodies that is not known.
func sameContent(a, b Entry) bool {
	x, y := a.Record(), b.Record()
	if x.Body == nil || y.Body == nil {
		return false
	}
	return x.Version == y.Version && x.Encoding == y.Encoding && bytes.Equal(x.Body, y.Body)
}

// sameRevision reports whether two entries with one key are the same revision.
func sameRevision(a, b Entry) bool {
	if a == b {
		return true
	}
	x, y := a.header(), b.header()
	return x.version == y.version && x.version != 0 && bytes.Equal(x.uid, y.uid)
}
