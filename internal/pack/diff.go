package pack

import (
	"math/bits"
	"sync"
)

const (
	// resyncBytes is how far Diff looks ahead, after a value that differs, for the place
	// where both bodies continue at the same distance.
	resyncBytes = 40
	// nearBits is the size of the hash table of the base.
	nearBits = 13
	// margin is the number of bytes around the differing part of the base that the table
	// covers.
	margin = 4 << 10
)

// Diff appends the difference of src from base to dst, and returns the result. It suits a
// body that follows another body of the same object. Patch needs the same base. Diff does
// not keep base.
//
// Diff only compares bytes where the two bodies differ in values of the same length. It
// allocates nothing if dst has room for len(src) + len(src)/64 + 16 bytes.
func Diff(dst, base, src []byte) []byte {
	head := commonPrefix(src, base)
	tail := commonSuffix(src[head:], base[head:])
	d := differs.Get().(*differ)
	defer d.release()
	d.base.text, d.indexed = base, false
	d.dictionary, d.src, d.dst, d.written, d.distance, d.part, d.shift = &d.base, src, dst, 0, -1, nil, 0
	if head > 0 {
		d.emit(0, head, len(base))
	}
	d.run(head, len(src)-tail, head, len(base)-tail)
	if i := max(d.written, len(src)-tail); i < len(src) {
		d.emit(i, len(src)-i, len(src)) // both bodies end at the same place
	}
	d.step(len(src), 0, 0)
	return d.dst
}

// Patch appends to dst the n bytes of a body of which Diff returned packed, and returns
// the result.
//
// Errors: those of Dictionary.Unpack.
func Patch(dst, base, packed []byte, n int) ([]byte, error) {
	d := Dictionary{text: base}
	return d.Unpack(dst, nil, packed, n)
}

// commonSuffix returns the length of the common end of a and b.
func commonSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := load64(a, len(a)-i-8) ^ load64(b, len(b)-i-8); x != 0 {
			return i + bits.LeadingZeros64(x)/8
		}
	}
	for ; i < n && a[len(a)-i-1] == b[len(b)-i-1]; i++ {
	}
	return i
}

// differ packs one body against a base.
type differ struct {
	packer
	base     Dictionary // without a table
	from, to int        // range of the base that near covers
	// near maps the hash of six bytes of the base to their position, plus one. It is
	// built on the first lookup, because most bodies need none.
	near    [1 << nearBits]uint32
	indexed bool
}

var differs = sync.Pool{New: func() any { return new(differ) }}

func (d *differ) release() {
	d.base.text, d.src, d.dst, d.part = nil, nil, nil, nil
	differs.Put(d)
}

// run packs src[i:end], the part of src that differs from base[from:to].
func (d *differ) run(i, end, from, to int) {
	d.from, d.to = max(0, from-margin), min(len(d.base.text), to+margin)
	src := d.src
	last := min(end-4, len(src)-8)
	for i <= last {
		v := load64(src, i)
		if j := i + d.shift; j >= 0 && j+8 <= len(d.part) && uint32(load64(d.part, j)) == uint32(v) {
			i = d.emit(i, commonPrefix(src[i:], d.part[j:]), d.distance)
			continue
		}
		if n := d.resync(i); n > 0 {
			i += n
			continue
		}
		distance, n := d.lookUp(i, v)
		if n < hashedBytes {
			i += 1 + (i-d.written)>>6
			continue
		}
		i = d.emit(i, n, distance)
	}
}

// resync returns the number of bytes after which src continues the last match, or 0 if it
// does not within resyncBytes.
func (d *differ) resync(i int) int {
	if i > d.written {
		return 0 // resync has failed at the end of the match
	}
	j := i + d.shift
	if j < 0 {
		return 0
	}
	for n := 1; n <= resyncBytes && i+n+8 <= len(d.src) && j+n+8 <= len(d.part); n++ {
		if load64(d.src, i+n) == load64(d.part, j+n) {
			return n
		}
	}
	return 0
}

// lookUp returns the longest match for the bytes at i, in src or in the base.
func (d *differ) lookUp(i int, v uint64) (distance, n int) {
	if !d.indexed {
		d.index()
	}
	slot := &d.local[hash(v, localBits)]
	if at := int(*slot); at != 0 {
		distance, n = i-(at-1), match(d.src[i:], d.src[at-1:], v)
	}
	if i < maxLocal {
		*slot = uint16(i + 1)
	}
	if at := int(d.near[hash(v, nearBits)]); at != 0 {
		if m := match(d.src[i:], d.base.text[at-1:], v); m > n+2 {
			return i + len(d.base.text) - (at - 1), m
		}
	}
	return distance, n
}

// index builds the tables.
func (d *differ) index() {
	clear(d.near[:])
	clear(d.local[:])
	d.indexed = true
	for i := d.from; i+8 <= d.to; i++ {
		d.near[hash(load64(d.base.text, i), nearBits)] = uint32(i + 1)
	}
}
