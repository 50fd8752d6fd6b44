package wire

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// Bounds of packing.
const (
	// MaxDictionary is the largest dictionary in bytes: positions in it have
	// 16 bits.
	MaxDictionary = 1 << 16
	// hashedBytes is how many bytes a match that is looked up must share. A
	// match where one is expected needs four.
	hashedBytes = 6
	localBits   = 12
	dictBits    = 16
	// maxLocal is how far into a body the encoder looks for repetitions of the
	// body itself: positions in its table have 16 bits.
	maxLocal = 1<<16 - 1
)

// errPacked says that bytes are not what Pack returned, or that they were packed
// with another dictionary or prefix.
var errPacked = errors.New("packed bytes are damaged, or were packed with another dictionary")

// Dictionary holds bytes that many bodies of one kind have in common, and packs
// bodies as what they differ in. It is immutable: any number of goroutines may
// use it at once.
//
// A packed body is a sequence of steps. Each copies some literal bytes, and then
// a run of earlier bytes: of the dictionary, the prefix, or the body itself,
// which count as one text. Where the run starts is coded as the change against
// the last step, since an object follows one of its siblings from field to
// field: after a name of the same length it costs one byte.
//
//	step  = token [literals more than 6: uvarint] literal… [match of more than 14: uvarint] zigzag
//	token = literals(0-7) | match(0-15) << 3
type Dictionary struct {
	text  []byte
	table []uint16 // hash of six bytes -> where they stand in text, plus one
}

// NewDictionary returns a dictionary of a text, of which the last MaxDictionary-1
// bytes are used. It keeps a copy.
func NewDictionary(text []byte) *Dictionary {
	if len(text) >= MaxDictionary {
		text = text[len(text)-MaxDictionary+1:]
	}
	d := &Dictionary{text: make([]byte, 0, len(text)), table: make([]uint16, 1<<dictBits)}
	d.extend(text)
	return d
}

// Text returns what the dictionary was made of. It must not be written to.
func (d *Dictionary) Text() []byte { return d.text }

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// hash mixes the first six bytes of v.
func hash(v uint64, bits uint8) uint64 { return (v << 16) * 0x9E3779B97F4A7C15 >> (64 - bits) }

// packer is one run of Pack: src is packed, whose earlier bytes, the prefix and
// the dictionary form one text, in which position 0 is the start of src.
type packer struct {
	dict   *Dictionary
	prefix []byte
	src    []byte
	dst    []byte
	done   int    // src up to here has been written
	dist   int    // how far back the last match began
	part   []byte // the part of the text that the byte dist before done stands in
	shift  int    // where in it: src[i] follows part[i+shift]
	local  [1 << localBits]uint16
}

// Pack appends src to dst, packed, and returns the result. Unpack needs the same
// dictionary and prefix: bytes that are known when the body is unpacked, such as
// the object's name. Only the last KiB of a prefix is used. It allocates nothing where dst has room for
// what comes out, at most len(src) + len(src)/64 + 16 bytes.
func (d *Dictionary) Pack(dst, prefix, src []byte) []byte {
	p := packer{dict: d, prefix: lastPrefix(prefix), src: src, dst: dst, dist: -1}
	p.notePrefix()
	p.run()
	p.step(len(src), 0, 0)
	return p.dst
}

// lastPrefix bounds what a prefix costs.
func lastPrefix(prefix []byte) []byte { return prefix[max(0, len(prefix)-1<<10):] }

// notePrefix makes the prefix known to the local table: positions count from
// its start there.
func (p *packer) notePrefix() {
	for i := 0; i+8 <= len(p.prefix); i++ {
		p.local[hash(load64(p.prefix, i), localBits)] = uint16(i + 1)
	}
}

// run finds the matches. Most bytes are part of one, and most others stand where
// the object differs from its sibling for a few bytes, to follow it again at the
// same distance: that is tried first.
func (p *packer) run() {
	src := p.src
	last := len(src) - 8
	for i := 0; i <= last; {
		v := load64(src, i)
		if j := i + p.shift; j >= 0 && j+8 <= len(p.part) && uint32(load64(p.part, j)) == uint32(v) {
			i = p.emit(i, common(src[i:], p.part[j:]), p.dist)
			continue
		}
		dist, n := p.lookUp(i, v)
		if n < hashedBytes {
			i += 1 + (i-p.done)>>6 // what does not pack at all is passed faster
			continue
		}
		i = p.emit(i, n, dist)
	}
}

// lookUp returns the longest match for what stands at i: in the body and its
// prefix, or in the dictionary; n is 0 if there is none of hashedBytes.
func (p *packer) lookUp(i int, v uint64) (dist, n int) {
	slot := &p.local[hash(v, localBits)]
	if at := int(*slot); at != 0 {
		part, j := p.src, at-1-len(p.prefix)
		dist = i - j
		if j < 0 {
			part, j = p.prefix, at-1
		}
		n = match(p.src[i:], part[j:], v)
	}
	if at := i + len(p.prefix) + 1; at <= maxLocal {
		*slot = uint16(at)
	}
	if at := int(p.dict.table[hash(v, dictBits)]); at != 0 {
		if m := match(p.src[i:], p.dict.text[at-1:], v); m > n+2 { // a near one is shorter to write
			return i + len(p.prefix) + len(p.dict.text) - (at - 1), m
		}
	}
	return dist, n
}

// match returns how many bytes a and b, which begins with v, have in common, and 0
// if they are fewer than hashedBytes.
func match(a, b []byte, v uint64) int {
	if len(b) < 8 || (v^load64(b, 0))<<16 != 0 {
		return 0
	}
	return common(a, b)
}

// source returns the part of the text in which the byte dist before i stands, and
// where; nil if there is none. A match does not go beyond its part.
func (p *packer) source(i, dist int) (part []byte, from int) {
	if from = i - dist; from >= 0 {
		return p.src, from
	}
	if from += len(p.prefix); from >= 0 {
		return p.prefix, from
	}
	return p.dict.text, from + len(p.dict.text)
}

// common returns the length of the common start of a and b. Where b is the same
// text as a but earlier, the two may overlap.
func common(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := load64(a, i) ^ load64(b, i); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for ; i < n && a[i] == b[i]; i++ {
	}
	return i
}

// emit writes a match that was found at i, extended to the left as far as it
// goes, and returns where to go on.
func (p *packer) emit(i, n, dist int) int {
	part, from := p.source(i, dist)
	p.part, p.shift = part, from-i
	for i > p.done && from > 0 && part[from-1] == p.src[i-1] {
		i, from, n = i-1, from-1, n+1
	}
	p.step(i, n, dist)
	p.done = i + n
	return p.done
}

// step writes literals up to i, and a match of n bytes.
func (p *packer) step(i, n, dist int) {
	literals := p.src[p.done:i]
	if n == 0 && len(literals) == 0 {
		return
	}
	p.dst = append(p.dst, byte(min(len(literals), 7))|byte(min(n, 15))<<3)
	if len(literals) >= 7 {
		p.dst = binary.AppendUvarint(p.dst, uint64(len(literals)-7))
	}
	p.dst = append(p.dst, literals...)
	if n == 0 {
		return
	}
	if n >= 15 {
		p.dst = binary.AppendUvarint(p.dst, uint64(n-15))
	}
	if dist == p.dist {
		p.dst = append(p.dst, 0)
		return
	}
	p.dst = binary.AppendVarint(p.dst, int64(dist-p.dist))
	p.dist = dist
}
