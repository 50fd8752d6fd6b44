package jsontext

import (
	"encoding/binary"
	"math/bits"
)

// wordBits is the number of open brackets that ValueEnd stores in one word.
const wordBits = 64

// ValueEnd returns the index after the value that begins at b[i:], or -1 if the value is
// incomplete or malformed. A number at the end of b is incomplete, because more digits may
// follow.
func ValueEnd(b []byte, i int) int {
	var outer []uint64             // the brackets outside of the innermost word
	objects, depth := uint64(0), 0 // a bit for each open bracket, 1 for an object
	for {
		if i = Space(b, i); i >= len(b) {
			return -1
		}
		opened := false
		switch c := b[i]; c {
		case '"':
			i = StringEnd(b, i+1)
		case '{', '[':
			if depth > 0 && depth%wordBits == 0 {
				outer = append(outer, objects)
			}
			depth++
			objects <<= 1
			if c == '{' {
				objects |= 1
			}
			opened = true
			i++
		case 't':
			i = LiteralEnd(b, i, "true")
		case 'f':
			i = LiteralEnd(b, i, "false")
		case 'n':
			i = LiteralEnd(b, i, "null")
		default:
			i = NumberEnd(b, i)
		}
		if i < 0 {
			return -1
		}
		// Close the brackets that end here, and continue with the next value.
		for {
			if depth == 0 {
				return i
			}
			if i = Space(b, i); i >= len(b) {
				return -1
			}
			object := objects&1 != 0
			if c := b[i]; object && c == '}' || !object && c == ']' {
				objects >>= 1
				if depth--; depth > 0 && depth%wordBits == 0 {
					objects, outer = outer[len(outer)-1], outer[:len(outer)-1]
				}
				opened = false
				i++
				continue
			}
			if !opened {
				if b[i] != ',' {
					return -1
				}
				i++
			}
			if object {
				if i = keyEnd(b, i); i < 0 {
					return -1
				}
			}
			break
		}
	}
}

// Space returns the index of the next byte that is not white space.
func Space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// keyEnd returns the index after the name of a member and its colon, or -1.
func keyEnd(b []byte, i int) int {
	if i = Space(b, i); i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = StringEnd(b, i+1); i < 0 {
		return -1
	}
	if i = Space(b, i); i >= len(b) || b[i] != ':' {
		return -1
	}
	return i + 1
}

// StringEnd returns the index after the closing quote of a string whose content begins at
// b[i:], or -1.
func StringEnd(b []byte, i int) int {
	for {
		for ; i+8 <= len(b); i += 8 {
			if found := special(load64(b, i)); found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
		}
		if i+8 > len(b) {
			i = PlainEnd(b, i)
		}
		switch {
		case i >= len(b) || b[i] < ' ':
			return -1
		case b[i] == '"':
			return i + 1
		}
		if i = escapeEnd(b, i+1); i < 0 {
			return -1
		}
	}
}

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// special sets the top bit of the lowest byte of v that is a quote, a backslash or a
// control character, and perhaps of bytes above it. It returns 0 if there is none. See
// "Bit Twiddling Hacks" by S. E. Anderson, "Determine if a word has a zero byte" and "... a
// byte less than n".
func special(v uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := v^('"'*ones), v^('\\'*ones)
	return ((quote-ones)&^quote | (slash-ones)&^slash | (v-' '*ones)&^v) & tops
}

// PlainEnd returns the index of the next quote, backslash or control character in the
// content of a string.
func PlainEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		if found := special(load64(b, i)); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// escapeEnd returns the index after an escape whose backslash precedes b[i:], or -1.
func escapeEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if i+5 > len(b) {
			return -1
		}
		for _, c := range b[i+1 : i+5] {
			if !IsHex(c) {
				return -1
			}
		}
		return i + 5
	}
	return -1
}

// LiteralEnd returns the index after a literal, or -1.
func LiteralEnd(b []byte, i int, literal string) int {
	if len(b)-i < len(literal) || string(b[i:i+len(literal)]) != literal {
		return -1
	}
	return i + len(literal)
}

// NumberEnd returns the index after a number, or -1 if it is malformed or ends at the end
// of b.
func NumberEnd(b []byte, i int) int {
	digits := func() bool {
		from := i
		for i < len(b) && IsDigit(b[i]) {
			i++
		}
		return i > from && i < len(b)
	}
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		if i++; i == len(b) {
			return -1
		}
	} else if !digits() {
		return -1
	}
	if b[i] == '.' {
		if i++; !digits() {
			return -1
		}
	}
	if b[i] == 'e' || b[i] == 'E' {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsHex reports whether c is a hexadecimal digit.
func IsHex(c byte) bool {
	return IsDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
