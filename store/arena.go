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
	slabs     []*slab // all slabs with live records
	current   *slab   // the slab for the next record
	retired   []*slab // slabs to empty: mostly dead, or packed with an old dictionary or column count
	compactor compactor
	dicts     []*pack.Dictionary // dictionaries that packed records may use, oldest first
	scratch   []byte
	size      int // size of all slabs
	dead      int // bytes of the slabs that belong to no live record
}

// add stores a record and returns its entry. values are the values of each column.
func (a *arena) add(rec *wire.Record, values [][]string) Entry {
	flags, rest, body := a.encode(rec, values, true)
	return a.write(flags, rest, body, a.dict, a.columns)
}

// encode writes the record into the scratch space. A body that is stored plain is not
// copied: it is returned separately, and follows rest. Without hasBody, the record stores
// only the length of the body.
func (a *arena) encode(rec *wire.Record, values [][]string, hasBody bool) (flags byte, rest, body []byte) {
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
	b = appendColumns(b, values)
	b = binary.AppendUvarint(b, uint64(len(rec.Body)))
	how := formatNone
	if hasBody {
		b, how = a.pack(b, b[from:to:to], rec.Body)
	}
	a.scratch = b
	if how == formatPlain {
		body = rec.Body
	}
	return byte(rec.Encoding) | byte(how)<<formatShift, b, body
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
func (a *arena) replaceColumns(e Entry, values [][]string) []byte {
	rest, _ := e.bytes()
	h := e.header()
	b := append(a.scratch[:0], rest[:len(rest)-len(h.rest)]...)
	b = appendColumns(b, values)
	b = append(b, skipColumns(h.rest, e.slab.columns)...)
	a.scratch = b
	return b
}

// write copies an encoded record into a slab: rest, then body.
func (a *arena) write(flags byte, rest, body []byte, dict *pack.Dictionary, columns int) Entry {
	var size [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(size[:], uint64(len(rest)+len(body)))
	whole := 1 + n + len(rest) + len(body)
	s := a.slabFor(whole, dict, columns)
	off := s.end
	s.buf[off] = flags
	copy(s.buf[off+1:], size[:n])
	copy(s.buf[off+1+n:], rest)
	copy(s.buf[off+1+n+len(rest):], body)
	s.end += whole
	return Entry{slab: s, off: uint32(off)}
}

// slabFor returns a slab with n free bytes. The size of new slabs grows with the store,
// so that a small store takes little memory and a large one has few slabs.
func (a *arena) slabFor(n int, dict *pack.Dictionary, columns int) *slab {
	s := a.current
	if s != nil && len(s.buf)-s.end >= n && s.dict == dict && s.columns == columns {
		return s
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
	return s
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
	flags, rest, body := a.encode(rec, values, hasBody)
	return newStandalone(flags, rest, body, a.dict, len(values))
}

// newStandalone returns an entry for an encoded record, in its own slab.
func newStandalone(flags byte, rest, body []byte, dict *pack.Dictionary, columns int) Entry {
	size := len(rest) + len(body)
	b := append(make([]byte, 0, 1+binary.MaxVarintLen32+size), flags)
	b = append(append(binary.AppendUvarint(b, uint64(size)), rest...), body...)
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
