package store

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/wire"
)

// slab is a piece of memory with consecutive records and no pointers in it. The garbage
// collector does not scan it, and frees it when no tree, change or snapshot refers to it.
// The bytes of a record are written once, before any reader can see the record.
type slab struct {
	buf     []byte
	dict    *pack.Dictionary // the dictionary of packed bodies; nil if there is none
	columns int              // the number of indexes for which records have values
	object  any              // the decoded object of the only record, or unusable; nil without Config.Decode
	*usage                   // nil for a slab with one record outside the arena
}

// usage is the writer's data about a slab in an arena. It is separate from the slab,
// because a store of decoded objects has one slab per object.
type usage struct {
	references *references // of its records; set before a reader sees the first of these, and then unchanged
	end, dead  int         // end of the last record; number of dead bytes
	freed      []uint64    // one bit per eight bytes: a dead record begins there; nil if there are no dead records
}

// unusable replaces an object that could not be decoded.
type unusable struct{ error }

// hold stores the result of Config.Decode in the slab of the only record.
func (s *slab) hold(object any, err error) {
	if err != nil {
		object = unusable{err}
	}
	s.object = object
}

// Entry is one stored revision of an object. It is a small value that may be kept and
// passed to any goroutine. The zero value refers to no revision. The data of an entry
// never changes.
type Entry struct {
	slab *slab
	off  uint32
}

// Detached returns a copy of the entry in memory of its own. Entries share blocks of 4 to
// 64 KiB, and an entry keeps its whole block. A program that keeps some of many entries
// for long needs less memory if it keeps detached copies. A copy still shares the
// dictionary of its block.
func (e Entry) Detached() Entry {
	if e.slab == nil || e.slab.usage == nil {
		return e
	}
	if after, at := e.reference(); after != nil {
		h := e.header()
		body := e.body(nil, &h)
		rest, _ := e.bytes()
		packed := e.slab.dict.Pack(append([]byte(nil), rest[:at]...), h.names, body)
		b := []byte{h.flags&^(formatMask<<formatShift) | byte(formatDictionary)<<formatShift}
		b = append(binary.AppendUvarint(b, uint64(len(packed))), packed...)
		return Entry{slab: &slab{buf: b, dict: e.slab.dict, columns: e.slab.columns}}
	}
	s := &slab{dict: e.slab.dict, columns: e.slab.columns, object: e.slab.object}
	s.buf = slices.Clone(e.slab.buf[e.off : int(e.off)+e.length()])
	return Entry{slab: s}
}

// IsZero reports whether the entry refers to no revision.
func (e Entry) IsZero() bool { return e.slab == nil }

// The layout of a record in a slab. Lengths are uvarints.
//
//	flags      encoding (bits 0-3), body format (bits 4-6), whether there is a sum (bit 7)
//	size       of everything after it
//	lengths    of cluster, namespace, name and uid
//	names      cluster, namespace, name and uid
//	version    uvarint
//	sum        hash of the body, in a store that drops bodies
//	columns    for each index: count, and for each value its length and bytes
//	raw        length of the body
//	body       packed or plain; the number of its reference precedes a body with one
const (
	encodingMask = 0x0f
	formatShift  = 4
	formatMask   = 0x07
	sumFlag      = 0x80
)

// header is the part of a record before its columns.
type header struct {
	flags                         byte
	cluster, namespace, name, uid []byte
	version                       wire.Version
	names                         []byte // all four, concatenated
	sum                           []byte // nil if the entry has no sum
	rest                          []byte // columns, raw and body
}

func (h *header) format() bodyFormat { return bodyFormat(h.flags >> formatShift & formatMask) }

// bytes returns the record without flags and size, and the flags.
func (e Entry) bytes() (rest []byte, flags byte) {
	b := e.slab.buf[e.off:]
	size, n := uvarint(b[1:])
	return b[1+n : 1+n+size], b[0]
}

// length returns the size of the record in its slab, in bytes.
func (e Entry) length() int {
	size, n := uvarint(e.slab.buf[e.off+1:])
	return 1 + n + size
}

// uvarint reads a length that the store has written.
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
	at += n
	if flags&sumFlag != 0 {
		h.sum = b[at : at+sumBytes]
		at += sumBytes
	}
	h.version, h.rest = wire.Version(version), b[at:]
	return h
}

// nameLengths reads the lengths at the beginning of b, and returns where the names begin.
// Usually each length takes one byte.
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

// afterSize returns the record from the names' lengths on, and everything after it in the
// slab.
func (e Entry) afterSize() []byte {
	b := e.slab.buf[e.off+1:]
	for b[0] >= 0x80 {
		b = b[1:]
	}
	return b[1:]
}

// columns returns the columns and everything after them in the slab.
func (e Entry) columns() []byte {
	b := e.afterSize()
	c, ns, nm, uid, at := nameLengths(b)
	at += c + ns + nm + uid
	for b[at] >= 0x80 { // the version
		at++
	}
	if e.slab.buf[e.off]&sumFlag != 0 {
		at += sumBytes
	}
	return b[at+1:]
}

// skipColumns returns the bytes after n columns.
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

// Key returns the key of the object. It allocates one string.
func (e Entry) Key() wire.Key {
	h := e.header()
	names := string(h.names[:len(h.cluster)+len(h.namespace)+len(h.name)])
	c, n := len(h.cluster), len(h.cluster)+len(h.namespace)
	return wire.Key{Cluster: names[:c], Namespace: names[c:n], Name: names[n:]}
}

// UID returns the UID, which distinguishes the object from others of the same name.
func (e Entry) UID() string { return string(e.header().uid) }

// Version returns the resourceVersion of this revision.
func (e Entry) Version() wire.Version { return e.header().version }

// AppendUID appends the UID to dst. It also returns the version: the two together identify
// a revision, but not its content; see SameContent and Sum.
func (e Entry) AppendUID(dst []byte) ([]byte, wire.Version) {
	h := e.header()
	return append(dst, h.uid...), h.version
}

// Record unpacks the revision. The body is newly allocated and belongs to the caller. It
// is nil if the store keeps the object instead of the body.
func (e Entry) Record() wire.Record {
	h := e.header()
	rec := e.record(&h)
	rec.Body = e.body(nil, &h)
	return rec
}

// View is Record without a new body. The body is in scratch, which grows as needed, or in
// the memory of the store if it is stored plain. It must not be modified. It is valid
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
	if h.format() == formatSibling {
		return e.slab.references.at(int(b[n])).unpackAfter(dst, e.slab.dict, h.names, b[n+1:], raw)
	}
	return unpack(dst, h.format(), e.slab.dict, h.names, b[n:], raw)
}

// reference returns the reference of a record, or nil, and the position of its number in the
// bytes of the record.
func (e Entry) reference() (one *reference, at int) {
	rest, flags := e.bytes()
	if h := (header{flags: flags}); h.format() != formatSibling {
		return nil, 0
	}
	h := e.header()
	b := skipColumns(h.rest, e.slab.columns)
	_, n := uvarint(b)
	return e.slab.references.at(int(b[n])), len(rest) - len(b) + n
}

// toReference returns a reference with the body of an entry that is packed with a dictionary.
func (e Entry) toReference() *reference {
	h := e.header()
	b := skipColumns(h.rest, e.slab.columns)
	size, n := uvarint(b)
	return &reference{dict: e.slab.dict, bytes: slices.Concat(h.names, b[n:]), names: len(h.names), size: size}
}

// Len returns the length of the unpacked body in bytes.
func (e Entry) Len() int {
	raw, _ := uvarint(skipColumns(e.columns(), e.slab.columns))
	return raw
}

// Object returns the decoded object, which all readers share and must not modify. It is
// nil if Config.Decode is not set or the store keeps the body instead.
//
// Errors: the error of Config.Decode for this record.
func (e Entry) Object() (any, error) {
	if u, ok := e.slab.object.(unusable); ok {
		return nil, u.error
	}
	return e.slab.object, nil
}

// names returns the concatenated cluster, namespace and name, and the offsets of the
// namespace and the name.
func (e Entry) names() (all []byte, namespace, name int) {
	b := e.afterSize()
	c, ns, nm, _, at := nameLengths(b)
	return b[at : at+c+ns+nm], c, c + ns
}

// Compare orders entries as snapshots do: by cluster, namespace and name. It returns zero
// for two revisions of one object, and for different objects with the same key.
func (e Entry) Compare(other Entry) int { return compareEntries(e, other) }

// compareEntries orders by key.
func compareEntries(a, b Entry) int {
	x, xns, xn := a.names()
	y, yns, yn := b.names()
	if xns == yns && xn == yn { // the parts have equal lengths, so the order of the whole is the order of the parts
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

// sameObject reports whether the entry is a revision of the same object as rec, and not
// of another object of the same name.
func (e Entry) sameObject(rec *wire.Record) bool { return string(e.header().uid) == rec.UID }

func sameUID(a, b Entry) bool { return bytes.Equal(a.header().uid, b.header().uid) }

// remains reports whether the store keeps the last known state of an object that arrives
// in an unusable state. It does, unless the UID shows that it is another object.
func remains(old Entry, rec *wire.Record) bool { return rec.UID == "" || old.sameObject(rec) }

// outdated reports whether rec is older than old. Versions are ordered across all objects
// of a type, so this also holds for different objects with the same name, and at the same
// version another object is outdated. The same object is not: its content, or its deletion,
// may be new. A record without a version is never outdated.
func outdated(old Entry, rec *wire.Record) bool {
	v := old.Version()
	return rec.Version != 0 && v != 0 && (rec.Version < v || rec.Version == v && !remains(old, rec))
}
