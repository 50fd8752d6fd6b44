package store

import (
	"encoding/binary"

	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/wire"
)

const (
	firstSlab = 4 << 10
	fullSlab  = 64 << 10
)

// arena is the memory of one store's records. It belongs to the writer.
type arena struct {
	packer
	columns   int     // number of columns of new records
	sums      bool    // new records have sums
	slabs     []*slab // all slabs with live records
	current   *slab   // the slab for the next record
	retired   []*slab // slabs to empty: mostly dead, or packed with an old dictionary or column count
	compactor compactor
	dicts     []*pack.Dictionary // dictionaries that packed records may use, oldest first
	scratch   []byte
	source    encoded // the record that becomes a sibling, in memory of its own
	size      int     // size of all slabs
	dead      int     // bytes of the slabs that belong to no live record
}

// encoded is an encoded record without its size: rest, then body. The bytes are valid until
// the arena encodes the next record.
type encoded struct {
	flags      byte
	rest, body []byte
	reference  *reference // of a body that is packed after it
	at         int        // position of the number of the reference in rest
}

// encode writes the record into the scratch space. A body that is stored plain is not
// copied: it is returned separately, and follows rest. Without hasBody, the record stores
// only the length of the body. The body may be packed after a reference.
func (a *arena) encode(rec *wire.Record, values [][]string, hasBody bool, after *reference) (e encoded) {
	b := a.scratch[:0]
	names := [...]string{rec.Cluster, rec.Namespace, rec.Name, rec.UID}
	for _, s := range names {
		b = binary.AppendUvarint(b, uint64(len(s)))
	}
	from := len(b)
	for _, s := range names {
		b = append(b, s...)
	}
	to := len(b)
	b = binary.AppendUvarint(b, uint64(rec.Version))
	if a.sums {
		e.flags = sumFlag
		b = binary.LittleEndian.AppendUint64(b, Sum(rec.Body))
	}
	b = appendColumns(b, values)
	b = binary.AppendUvarint(b, uint64(len(rec.Body)))
	e.at = len(b)
	how := formatNone
	if hasBody {
		b, how = a.pack(b, b[from:to:to], rec.Body, after)
	}
	a.scratch = b
	switch how {
	case formatPlain:
		e.body = rec.Body
	case formatSibling:
		e.reference = after
	case formatDictionary, formatS2, formatNone:
	}
	e.flags |= byte(rec.Encoding) | byte(how)<<formatShift
	e.rest = b
	return e
}

func appendColumns(b []byte, values [][]string) []byte {
	for _, column := range values {
		b = binary.AppendUvarint(b, uint64(len(column)))
		for _, v := range column {
			b = binary.AppendUvarint(b, uint64(len(v)))
			b = append(b, v...)
		}
	}
	return b
}

// replaceColumns encodes the record of an entry with new columns in the scratch space.
// The packed body is copied unchanged.
func (a *arena) replaceColumns(e Entry, values [][]string) encoded {
	rest, _ := e.bytes()
	h := e.header()
	b := append(a.scratch[:0], rest[:len(rest)-len(h.rest)]...)
	b = appendColumns(b, values)
	after, at := e.reference()
	b = append(b, skipColumns(h.rest, e.slab.columns)...)
	at += len(b) - len(rest)
	a.scratch = b
	return encoded{flags: h.flags, rest: b, reference: after, at: at}
}

// write copies an encoded record into a slab.
func (a *arena) write(e encoded, dict *pack.Dictionary, columns int) Entry {
	var size [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(size[:], uint64(len(e.rest)+len(e.body)))
	whole := 1 + n + len(e.rest) + len(e.body)
	s, number := a.slabFor(whole, dict, columns, e.reference)
	off := s.end
	s.buf[off] = e.flags
	copy(s.buf[off+1:], size[:n])
	copy(s.buf[off+1+n:], e.rest)
	copy(s.buf[off+1+n+len(e.rest):], e.body)
	if e.reference != nil {
		s.buf[off+1+n+e.at] = byte(number)
	}
	s.end += whole
	return Entry{slab: s, off: uint32(off)}
}

// slabFor returns a slab with n free bytes, and the number of a reference in it. The size of
// new slabs grows with the store, so that a small store takes little memory and a large
// one has few slabs.
func (a *arena) slabFor(n int, dict *pack.Dictionary, columns int, after *reference) (s *slab, number int) {
	s = a.current
	if s != nil && len(s.buf)-s.end >= n && s.dict == dict && s.columns == columns {
		if number := s.numberOf(after); number >= 0 {
			return s, number
		}
	}
	size := firstSlab
	for size < fullSlab && (size < n || size < a.size/4) {
		size *= 2
	}
	s = &slab{buf: make([]byte, max(size, n)), dict: dict, columns: columns, usage: new(usage)}
	a.slabs = append(a.slabs, s)
	a.size += len(s.buf)
	if n < fullSlab { // a slab that one large record fills does not become current
		a.seal()
		a.current = s
	}
	return s, s.numberOf(after)
}

// numberOf returns the number of a reference in the slab; 0 for nil, and -1 if there is no
// room for it.
func (s *slab) numberOf(after *reference) int {
	if after == nil {
		return 0
	}
	if s.references == nil {
		s.references = new(references)
	}
	return s.references.number(after)
}

// seal gives up the free space of the current slab.
func (a *arena) seal() {
	if s := a.current; s != nil {
		a.current = nil
		a.addDead(s, len(s.buf)-s.end)
	}
}

// storeAlone stores a record in its own slab, which does not belong to the arena. The
// garbage collector frees it when no entry refers to it.
func (a *arena) storeAlone(rec *wire.Record, values [][]string, hasBody bool) Entry {
	return newStandalone(a.encode(rec, values, hasBody, nil), a.dict, len(values))
}

// newStandalone returns an entry for an encoded record, in its own slab.
func newStandalone(e encoded, dict *pack.Dictionary, columns int) Entry {
	size := len(e.rest) + len(e.body)
	b := append(make([]byte, 0, 1+binary.MaxVarintLen32+size), e.flags)
	b = append(append(binary.AppendUvarint(b, uint64(size)), e.rest...), e.body...)
	return Entry{slab: &slab{buf: b, dict: dict, columns: columns}}
}

// free records that no tree of the writer contains the entry any longer.
func (a *arena) free(e Entry) {
	if e.slab.usage == nil {
		return // it has its own slab
	}
	if e.slab.freed == nil {
		e.slab.freed = make([]uint64, len(e.slab.buf)/512+1)
	}
	e.slab.freed[e.off/512] |= 1 << (e.off / 8 % 64) // every record is longer than eight bytes
	a.addDead(e.slab, e.length())
}

// isFreed reports whether the entry was freed. The entry must be in an arena.
func (e Entry) isFreed() bool {
	return e.slab.freed != nil && e.slab.freed[e.off/512]&(1<<(e.off/8%64)) != 0
}

// addDead counts dead bytes, and retires a slab when half of it is dead.
func (a *arena) addDead(s *slab, n int) {
	was := s.dead
	s.dead += n
	a.dead += n
	if half := len(s.buf) / 2; was < half && s.dead >= half && s != a.compactor.slab {
		a.retired = append(a.retired, s)
	}
}

// compactor is the slab that compaction empties, and the position in it.
type compactor struct {
	slab *slab
	off  int
}
