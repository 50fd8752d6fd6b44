package pack

import "encoding/binary"

// minDigits is the shortest run of hexadecimal digits that is stored as half bytes.
const minDigits = 12

// appendDigits appends the steps of literals up to their last long run of digits, and
// returns the rest of the literals.
func appendDigits(dst, literals []byte) (packed, rest []byte) {
	for i := 0; i+minDigits <= len(literals); {
		n := 0
		for i+n < len(literals) && halfBytes[literals[i+n]] != 0 {
			n++
		}
		if n < minDigits {
			i += n + 1
			continue
		}
		if i > 0 {
			dst = append(appendLength(dst, 0, i), literals[:i]...)
		}
		dst = appendLength(dst, 0x80, n)
		for j := i; j < i+n; j += 2 {
			pair := (halfBytes[literals[j]] - 1) << 4
			if j+1 < i+n {
				pair |= halfBytes[literals[j+1]] - 1
			}
			dst = append(dst, pair)
		}
		literals, i = literals[i+n:], 0
	}
	return dst, literals
}

// appendLength appends the token of a step without a match, and its number of literals.
func appendLength(dst []byte, token byte, n int) []byte {
	dst = append(dst, token|byte(min(n, 7)))
	if n >= 7 {
		dst = binary.AppendUvarint(dst, uint64(n-7))
	}
	return dst
}

// unpackDigits appends n digits that are stored as half bytes, and returns the rest of the
// input. There must be enough of it.
func unpackDigits(dst, in []byte, n int) (out, rest []byte) {
	for i := range n {
		dst = append(dst, hexadecimal[in[i/2]>>(4-i%2*4)&15])
	}
	return dst, in[(n+1)/2:]
}

const hexadecimal = "0123456789abcdef"

// halfBytes has the value of each digit, plus one.
var halfBytes = func() (table [256]byte) {
	for i := range len(hexadecimal) {
		table[hexadecimal[i]] = byte(i + 1)
	}
	return table
}()
