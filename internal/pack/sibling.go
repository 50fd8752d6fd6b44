package pack

import "bytes"

const (
	// enoughOfSibling is the length of a match from which the dictionary is not searched
	// for a longer one: the lookup waits for memory.
	enoughOfSibling = 12
	// valueBytes is the longest value that skipValue skips.
	valueBytes = 72
	// nearShift is the distance from the shift of the last match in the sibling up to which
	// find looks first, in the first nearLiterals bytes after a match.
	nearShift    = 8
	nearLiterals = 40
	// behind and ahead are the distances from the last match in the sibling up to which find
	// searches, every windowStride bytes, in the first windowLiterals bytes after a match.
	behind         = 64
	ahead          = 512
	windowStride   = 8
	windowLiterals = 256
	// maxSibling is the number of bytes of a sibling that are used.
	maxSibling = 1 << 16
)

// PackAfter is Pack with the body of a sibling, which is a similar object: another pod of
// the same ReplicaSet, for example. It finds what the two have in common at about the same
// place in both, and stores the rest. UnpackAfter needs the same sibling.
//
// The format is that of Pack with two additions, so it does not belong in files and
// databases: the sibling lies between the dictionary and the prefix, and a step may store
// hexadecimal digits as half bytes.
//
//	step = token | 0x80 [digits - 7: uvarint] half byte…
//
// like may be the result for a similar body with the same sibling, which makes PackAfter
// faster: that of an earlier body of the same object, or of another sibling.
func (d *Dictionary) PackAfter(dst, sibling, prefix, src, like []byte) []byte {
	sibling = sibling[:min(len(sibling), maxSibling)]
	p := packer{dictionary: d, sibling: sibling, hasSibling: true, prefix: lastPrefix(prefix), src: src, dst: dst, part: sibling, continues: true}
	p.distance = len(p.prefix) + len(sibling) // both bodies begin alike
	p.earlier = earlier{in: like, distance: p.distance}
	p.earlier.next()
	p.indexPrefix()
	p.runAfter()
	p.step(len(src), 0, 0)
	return p.dst
}

// runAfter is run with a sibling. Where the bodies differ in a value of the same length, it
// looks for nothing, and continues after the value.
func (p *packer) runAfter() {
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
		if n := p.skipValue(i); n > 0 {
			i += n
			continue
		}
		distance, n := p.lookUpAfter(i, v)
		if n < hashedBytes {
			i += 1 + (i-p.written)>>6
			continue
		}
		i = p.emit(i, n, distance)
		if p.earlier.n > 0 && distance > i {
			p.alignEarlier()
		}
	}
}

// lookUpAfter is lookUp with the sibling, which it prefers.
func (p *packer) lookUpAfter(i int, v uint64) (distance, n int) {
	at, m := p.find(i)
	if m < enoughOfSibling {
		if distance, n = p.lookUp(i, v); n > m+2 || m < hashedBytes {
			return distance, n
		}
	}
	return i + len(p.prefix) + len(p.sibling) - at, m
}

// skipValue returns the number of bytes after which src continues as the sibling does after
// as many bytes, or 0 if it does not.
func (p *packer) skipValue(i int) int {
	j := i + p.siblingShift
	if i > p.written || j < 0 { // it has failed at the end of the match
		return 0
	}
	if !p.continues {
		return 0
	}
	most := min(valueBytes, len(p.src)-8-i, len(p.sibling)-8-j)
	for n := 1; n <= most; n++ {
		if load64(p.src, i+n) == load64(p.sibling, j+n) {
			return n
		}
	}
	return 0
}

// find returns the place in the sibling where the bytes at i are, and the length of the
// match; 0 if it does not find them.
func (p *packer) find(i int) (at, n int) {
	gap, even := i-p.written, i+p.siblingShift
	if gap <= nearLiterals {
		if at, n := p.findIn(i, even-nearShift, even+nearShift+8); n > 0 {
			return at, n
		}
	}
	if gap > windowLiterals || gap%windowStride != 0 {
		return 0, 0
	}
	// Each of the two may have bytes that the other one lacks.
	return p.findIn(i, min(p.siblingAt, even)-behind, max(p.siblingAt, even)+ahead)
}

// findIn is find in a part of the sibling.
func (p *packer) findIn(i, from, to int) (at, n int) {
	from, to = max(0, from), min(to, len(p.sibling))
	if from >= to {
		return 0, 0
	}
	found := bytes.Index(p.sibling[from:to], p.src[i:i+8])
	if found < 0 {
		return 0, 0
	}
	return from + found, commonPrefix(p.src[i:], p.sibling[from+found:])
}

// UnpackAfter is Unpack for the result of PackAfter. sibling is the body of the sibling.
//
// Errors: those of Unpack.
func (d *Dictionary) UnpackAfter(dst, sibling, prefix, packed []byte, n int) ([]byte, error) {
	sibling = sibling[:min(len(sibling), maxSibling)]
	u := unpacker{dictionary: d.text, sibling: sibling, hasSibling: true, prefix: lastPrefix(prefix), in: packed, out: dst, start: len(dst), end: len(dst) + n}
	u.distance = len(u.prefix) + len(sibling)
	return u.run()
}
