package pack

import (
	"encoding/binary"
	"errors"
)

// errDamaged is the error for bytes that Pack and Diff did not write, or that were packed
// with another dictionary, prefix or base.
var errDamaged = errors.New("packed bytes are damaged, or were packed with another dictionary")

// Unpack appends the n bytes of a packed body to dst, and returns the result. It needs the
// prefix that Pack had.
//
// Errors: the input is damaged or does not give n bytes. Unpack never appends more than n
// bytes, and after an error it returns dst unchanged.
func (d *Dictionary) Unpack(dst, prefix, packed []byte, n int) ([]byte, error) {
	u := unpacker{dictionary: d.text, prefix: lastPrefix(prefix), in: packed, out: dst, start: len(dst), end: len(dst) + n, distance: -1}
	return u.run()
}

func (u *unpacker) run() ([]byte, error) {
	for len(u.in) > 0 {
		if !u.step() {
			return u.out[:u.start], errDamaged
		}
	}
	if len(u.out) != u.end {
		return u.out[:u.start], errDamaged
	}
	return u.out, nil
}

// unpacker unpacks one body.
type unpacker struct {
	dictionary, prefix []byte
	sibling            []byte
	hasSibling         bool
	in, out            []byte
	start, end         int // range of the body in out
	distance           int
}

func (u *unpacker) step() bool {
	token := u.in[0]
	u.in = u.in[1:]
	literals, ok := u.length(int(token&7), 7)
	if token>>7 != 0 {
		if !ok || !u.hasSibling || token>>3&15 != 0 || literals > u.end-len(u.out) || (literals+1)/2 > len(u.in) {
			return false
		}
		u.out, u.in = unpackDigits(u.out, u.in, literals)
		return true
	}
	if !ok || literals > len(u.in) || literals > u.end-len(u.out) {
		return false
	}
	u.out = append(u.out, u.in[:literals]...)
	u.in = u.in[literals:]
	n, ok := u.length(int(token>>3), 15)
	if !ok || n > u.end-len(u.out) {
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
	u.distance += int(change)
	return u.copy(n)
}

// length returns a length whose field in the token is n. It reads the rest of the length
// if n is the maximum of that field.
func (u *unpacker) length(n, maximum int) (int, bool) {
	if n < maximum {
		return n, true
	}
	more, size := binary.Uvarint(u.in)
	if size <= 0 || more > uint64(u.end) {
		return 0, false
	}
	u.in = u.in[size:]
	return n + int(more), true
}

// copy appends the n bytes that begin u.distance before the end. They must all be in the
// same part of the text.
func (u *unpacker) copy(n int) bool {
	if u.distance <= 0 {
		return false
	}
	from := len(u.out) - u.start - u.distance
	if from >= 0 {
		from += u.start
		if from+n <= len(u.out) {
			u.out = append(u.out, u.out[from:from+n]...)
			return true
		}
		for range n { // the run overlaps its own end
			u.out = append(u.out, u.out[from])
			from++
		}
		return true
	}
	part := u.prefix
	if from += len(part); from < 0 {
		part = u.sibling
		from += len(part)
	}
	if from < 0 {
		part = u.dictionary
		from += len(part)
	}
	if from < 0 || from+n > len(part) {
		return false
	}
	u.out = append(u.out, part[from:from+n]...)
	return true
}
