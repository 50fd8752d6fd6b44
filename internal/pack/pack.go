package pack

import (
	"encoding/binary"
	"math/bits"
)

const (
	// hashedBytes is the shortest match that a lookup finds. A match at the expected
	// distance needs only four bytes.
	hashedBytes = 6
	// localBits is the size of the hash table of the body itself.
	localBits = 12
	// maxLocal bounds the part of a body in which Pack looks for repetitions of the body
	// itself: positions in its table have 16 bits.
	maxLocal = 1<<16 - 1
	// maxPrefix is the number of bytes at the end of a prefix that are used.
	maxPrefix = 1 << 10
	// maxSkipped is the maximum number of literals before a match that likeEarlier takes from
	// the earlier body. Longer parts may have become similar to something else, and are
	// searched.
	maxSkipped = 128
)

// Pack appends the packed form of src to dst, and returns the result. prefix has bytes
// that are known when the body is unpacked, such as the name of the object; only its last
// KiB is used. Pack allocates nothing if dst has room for len(src) + len(src)/64 + 16
// bytes.
func (d *Dictionary) Pack(dst, prefix, src []byte) []byte { return d.PackLike(dst, prefix, src, nil) }

// PackLike is Pack with the result for a similar body, such as an earlier body of the same
// object, which makes it faster. like may be nil.
func (d *Dictionary) PackLike(dst, prefix, src, like []byte) []byte {
	p := packer{dictionary: d, prefix: lastPrefix(prefix), src: src, dst: dst, distance: -1}
	p.earlier = earlier{in: like, distance: p.distance}
	p.earlier.next()
	p.indexPrefix()
	p.run()
	p.step(len(src), 0, 0)
	return p.dst
}

// lastPrefix bounds the cost of a prefix.
func lastPrefix(prefix []byte) []byte { return prefix[max(0, len(prefix)-maxPrefix):] }

// packer packs src. The dictionary, the sibling, the prefix and src form one text, in which
// position 0 is the start of src.
type packer struct {
	dictionary *Dictionary
	sibling    []byte
	hasSibling bool
	prefix     []byte
	src        []byte
	dst        []byte
	written    int    // number of bytes of src that dst represents
	distance   int    // distance of the last match
	part       []byte // part of the text that the last match is in
	shift      int    // src[i] continues the last match at part[i+shift]
	local      [1 << localBits]uint16

	siblingShift int  // like shift, for the last match in the sibling
	siblingAt    int  // end of that match in the sibling
	continues    bool // the last match is in the sibling
	earlier      earlier
}

// indexPrefix adds the prefix to the local table, whose positions count from the start of
// the prefix.
func (p *packer) indexPrefix() {
	for i := 0; i+8 <= len(p.prefix); i++ {
		p.local[hash(load64(p.prefix, i), localBits)] = uint16(i + 1)
	}
}

// run finds the matches. It tries the distance of the last match first, because most
// objects differ from their sibling in a few bytes and then continue at the same distance.
func (p *packer) run() {
	src := p.src
	last := len(src) - 8
	for i := 0; i <= last; {
		v := load64(src, i)
		if j := i + p.shift; j >= 0 && j+8 <= len(p.part) && uint32(load64(p.part, j)) == uint32(v) {
			i = p.emit(i, commonPrefix(src[i:], p.part[j:]), p.distance)
			continue
		}
		if i == p.written && p.earlier.n > 0 {
			if at, n, distance := p.likeEarlier(i); n >= hashedBytes {
				i = p.emit(at, n, distance)
				continue
			}
		}
		distance, n := p.lookUp(i, v)
		if n < hashedBytes {
			i += 1 + (i-p.written)>>6 // skip incompressible parts faster
			continue
		}
		i = p.emit(i, n, distance)
		if p.earlier.n > 0 && distance > i {
			p.alignEarlier()
		}
	}
}

// lookUp returns the longest match for the bytes at i, in the body, its prefix or the
// dictionary. n is less than hashedBytes if it finds none.
func (p *packer) lookUp(i int, v uint64) (distance, n int) {
	slot := &p.local[hash(v, localBits)]
	if at := int(*slot); at != 0 {
		part, j := p.src, at-1-len(p.prefix)
		distance = i - j
		if j < 0 {
			part, j = p.prefix, at-1
		}
		n = match(p.src[i:], part[j:], v)
	}
	if at := i + len(p.prefix) + 1; at <= maxLocal {
		*slot = uint16(at)
	}
	if at := int(p.dictionary.table[hash(v, dictionaryBits)]); at != 0 {
		if m := match(p.src[i:], p.dictionary.text[at-1:], v); m > n+2 { // a short distance takes fewer bytes
			return i + len(p.prefix) + len(p.sibling) + len(p.dictionary.text) - (at - 1), m
		}
	}
	return distance, n
}

// likeEarlier returns a match at or after i with which the earlier body continues there, if
// src continues in the same way. n is 0 if it does not.
func (p *packer) likeEarlier(i int) (at, n, distance int) {
	e := &p.earlier
	for e.n > 0 && e.at+e.n+e.moved <= i {
		e.next()
	}
	at = e.at + e.moved
	if e.n == 0 || at < i || at > i+maxSkipped || at+8 > len(p.src) {
		return 0, 0, 0
	}
	distance = e.distance
	if distance > e.at { // the match is outside the earlier body
		distance += e.moved
	}
	if distance <= 0 {
		return 0, 0, 0
	}
	part, from, _ := p.locate(at, distance)
	if from < 0 || from >= len(part) {
		return 0, 0, 0
	}
	return at, match(p.src[at:], part[from:], load64(p.src, at)), distance
}

// alignEarlier finds the last match, which is outside src, in the earlier body.
func (p *packer) alignEarlier() {
	end := p.written - p.distance // in the text
	e := p.earlier
	for range 4 {
		from := e.at - e.distance
		if e.n == 0 {
			return
		}
		if from < 0 && from < end && end <= from+e.n {
			e.moved = p.written - (e.at + end - from)
			p.earlier = e
			return
		}
		e.next()
	}
}

// match returns the number of bytes that a and b have in common at their start, or 0 if
// there are fewer than hashedBytes. v holds the first eight bytes of a.
func match(a, b []byte, v uint64) int {
	if len(b) < 8 || (v^load64(b, 0))<<16 != 0 {
		return 0
	}
	return commonPrefix(a, b)
}

// locate returns the part of the text that contains the byte at this distance before i, the
// byte's index in it, and whether the part is the sibling. The index is negative if the text
// begins after it.
func (p *packer) locate(i, distance int) (part []byte, from int, inSibling bool) {
	if from = i - distance; from >= 0 {
		return p.src, from, false
	}
	if from += len(p.prefix); from >= 0 {
		return p.prefix, from, false
	}
	if p.hasSibling {
		if from += len(p.sibling); from >= 0 {
			return p.sibling, from, true
		}
	}
	return p.dictionary.text, from + len(p.dictionary.text), false
}

// commonPrefix returns the length of the common start of a and b. They may overlap, if b
// is an earlier part of the same text.
func commonPrefix(a, b []byte) int {
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

// emit writes a match of n bytes at i, extended to the left as far as it goes. It returns
// the index after the match.
func (p *packer) emit(i, n, distance int) int {
	part, from, inSibling := p.locate(i, distance)
	p.part, p.shift, p.continues = part, from-i, inSibling
	if inSibling {
		p.siblingShift = p.shift
	}
	for i > p.written && from > 0 && part[from-1] == p.src[i-1] {
		i, from, n = i-1, from-1, n+1
	}
	p.step(i, n, distance)
	p.written = i + n
	if p.continues {
		p.siblingAt = p.written + p.shift
	}
	return p.written
}

// step writes the literals up to i, and a match of n bytes.
func (p *packer) step(i, n, distance int) {
	literals := p.src[p.written:i]
	if p.hasSibling {
		p.dst, literals = appendDigits(p.dst, literals)
	}
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
	if distance == p.distance {
		p.dst = append(p.dst, 0)
		return
	}
	p.dst = binary.AppendVarint(p.dst, int64(distance-p.distance))
	p.distance = distance
}
