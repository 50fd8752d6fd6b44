package wire

import (
	"math/bits"
	"sync"
)

// Diff appends to dst what src differs in from base, and returns the result: for a
// body that follows another of the same object. Patch is the reverse, and needs the
// same base. It is written as Dictionary.Pack writes, with base as the text; base is
// not kept.
//
// Where the two differ in values of the same length Diff only compares. It allocates
// nothing where dst has room for what comes out, at most len(src) + len(src)/64 + 16
// bytes.
func Diff(dst, base, src []byte) []byte {
	head := common(src, base)
	tail := commonEnd(src[head:], base[head:])
	d := differs.Get().(*differ)
	defer d.release()
	d.base.text, d.noted = base, false
	d.dict, d.src, d.dst, d.done, d.dist, d.part, d.shift = &d.base, src, dst, 0, -1, nil, 0
	if head > 0 {
		d.emit(0, head, len(base))
	}
	d.run(head, len(src)-tail, head, len(base)-tail)
	if i := max(d.done, len(src)-tail); i < len(src) {
		d.emit(i, len(src)-i, len(src)) // the ends of both are at the same place
	}
	d.step(len(src), 0, 0)
	return d.dst
}

// realign is how far Diff looks for where two bodies that differ in a value go on
// together, before it looks elsewhere.
const realign = 40

// Patch appends to dst the n bytes of a body that Diff was given, and returns the
// result. Damaged input gives an error, and never more than n bytes.
func Patch(dst, base, packed []byte, n int) ([]byte, error) {
	d := Dictionary{text: base}
	return d.Unpack(dst, nil, packed, n)
}

// commonEnd returns the length of the common end of a and b.
func commonEnd(a, b []byte) int {
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

// nearBits is the size of a table of the bytes around what differs.
const nearBits = 13

// margin is how far around what differs is looked for what is like it.
const margin = 4 << 10

// differ is one run of Diff.
type differ struct {
	packer
	base     Dictionary // without a table
	from, to int        // what of the base is looked at
	// near says where in the base bytes stand that src may follow: by the hash of six
	// of them, the place plus one. It is made when it is needed: mostly it is not.
	near  [1 << nearBits]uint32
	noted bool
}

var differs = sync.Pool{New: func() any { return new(differ) }}

func (d *differ) release() {
	d.base.text, d.src, d.dst, d.part = nil, nil, nil, nil
	differs.Put(d)
}

// run packs src[i:end], which the base has no counterpart for but perhaps
// base[from:to].
func (d *differ) run(i, end, from, to int) {
	d.from, d.to = max(0, from-margin), min(len(d.base.text), to+margin)
	src := d.src
	last := min(end-4, len(src)-8)
	for i <= last {
		v := load64(src, i)
		if j := i + d.shift; j >= 0 && j+8 <= len(d.part) && uint32(load64(d.part, j)) == uint32(v) {
			i = d.emit(i, common(src[i:], d.part[j:]), d.dist)
			continue
		}
		if n := d.ahead(i); n > 0 {
			i += n
			continue
		}
		dist, n := d.lookUp(i, v)
		if n < hashedBytes {
			i += 1 + (i-d.done)>>6
			continue
		}
		i = d.emit(i, n, dist)
	}
}

// ahead returns after how many bytes src goes on as the last match did, 0 if it does
// not soon.
func (d *differ) ahead(i int) int {
	if i > d.done {
		return 0 // it was looked for where the match ended
	}
	j := i + d.shift
	if j < 0 {
		return 0
	}
	for n := 1; n <= realign && i+n+8 <= len(d.src) && j+n+8 <= len(d.part); n++ {
		if load64(d.src, i+n) == load64(d.part, j+n) {
			return n
		}
	}
	return 0
}

// lookUp returns the longest match for what stands at i: in src before it, or in the
// base.
func (d *differ) lookUp(i int, v uint64) (dist, n int) {
	if !d.noted {
		d.note()
	}
	slot := &d.local[hash(v, localBits)]
	if at := int(*slot); at != 0 {
		dist, n = i-(at-1), match(d.src[i:], d.src[at-1:], v)
	}
	if i < maxLocal {
		*slot = uint16(i + 1)
	}
	if at := int(d.near[hash(v, nearBits)]); at != 0 {
		if m := match(d.src[i:], d.base.text[at-1:], v); m > n+2 {
			return i + len(d.base.text) - (at - 1), m
		}
	}
	return dist, n
}

// note makes the table.
func (d *differ) note() {
	clear(d.near[:])
	clear(d.local[:])
	d.noted = true
	for i := d.from; i+8 <= d.to; i++ {
		d.near[hash(load64(d.base.text, i), nearBits)] = uint32(i + 1)
	}
}
