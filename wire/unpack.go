package wire

import "encoding/binary"

// Unpack appends to dst the n bytes that Pack was given, and returns the
// result. Damaged input gives an error, and never more than n bytes.
func (d *Dictionary) Unpack(dst, prefix, packed []byte, n int) ([]byte, error) {
	u := unpacker{dict: d.text, prefix: lastPrefix(prefix), in: packed, out: dst, base: len(dst), end: len(dst) + n, dist: -1}
	for len(u.in) > 0 {
		if !u.step() {
			return dst, errPacked
		}
	}
	if len(u.out) != u.end {
		return dst, errPacked
	}
	return u.out, nil
}

type unpacker struct {
	dict, prefix []byte
	in, out      []byte
	base, end    int // where this body begins and ends in out
	dist         int
}

func (u *unpacker) step() bool {
	token := u.in[0]
	u.in = u.in[1:]
	literals, ok := u.length(int(token&7), 7)
	if !ok || literals > len(u.in) || literals > u.end-len(u.out) {
		return false
	}
	u.out = append(u.out, u.in[:literals]...)
	u.in = u.in[literals:]
	n, ok := u.length(int(token>>3), 15)
	if !ok || n > u.end-len(u.out) || token>>7 != 0 {
		return false
	}
	if n == 0 {
		return true
	}
	change, size := binary.Varint(u.in)
	if size <= 0 {
		return false
	}
	u.in = u.in[size:]
	u.dist += int(change)
	return u.copy(n)
}

// length reads what stands behind a length that its token could not hold.
func (u *unpacker) length(n, most int) (int, bool) {
	if n < most {
		return n, true
	}
	more, size := binary.Uvarint(u.in)
	if size <= 0 || more > uint64(u.end) {
		return 0, false
	}
	u.in = u.in[size:]
	return n + int(more), true
}

// copy appends n bytes from dist before the end. A run does not cross from one
// part of the text into the next.
func (u *unpacker) copy(n int) bool {
	if u.dist <= 0 {
		return false
	}
	from := len(u.out) - u.base - u.dist
	if from >= 0 {
		from += u.base
		if from+n <= len(u.out) {
			u.out = append(u.out, u.out[from:from+n]...)
			return true
		}
		for range n { // it repeats itself
			u.out = append(u.out, u.out[from])
			from++
		}
		return true
	}
	part := u.prefix
	if from += len(part); from < 0 {
		part = u.dict
		from += len(part)
	}
	if from < 0 || from+n > len(part) {
		return false
	}
	u.out = append(u.out, part[from:from+n]...)
	return true
}
