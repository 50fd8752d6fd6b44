package wire

import "math/bits"

// wholeDepth is how deep a value may nest that is skipped in one go.
const wholeDepth = 64

// whole returns where the value at b[i:] ends, if all of it is there, with at
// least one byte behind it, and its grammar is right: the common case. Otherwise
// it returns -1, and the scanner, which can wait for more and knows what to say of
// a mistake, has to look for itself.
func whole(b []byte, i int) int {
	objects, depth := uint64(0), 0 // a bit for each open bracket: 1 if it is of an object
	for {
		if i = space(b, i); i >= len(b) {
			return -1
		}
		opened := false
		switch c := b[i]; c {
		case '"':
			i = quoteEnd(b, i+1)
		case '{', '[':
			if depth == wholeDepth {
				return -1
			}
			depth++
			objects <<= 1
			if c == '{' {
				objects |= 1
			}
			opened = true
			i++
		case 't':
			i = word(b, i, "true")
		case 'f':
			i = word(b, i, "false")
		case 'n':
			i = word(b, i, "null")
		default:
			i = numberEnd(b, i)
		}
		if i < 0 {
			return -1
		}
		// Close what ends here, and go on to the next value.
		for {
			if depth == 0 {
				return i
			}
			if i = space(b, i); i >= len(b) {
				return -1
			}
			object := objects&1 != 0
			if c := b[i]; object && c == '}' || !object && c == ']' {
				objects >>= 1
				depth--
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
				if i = key(b, i); i < 0 {
					return -1
				}
			}
			break
		}
	}
}

// valueEnd is whole for a value of any nesting depth.
func valueEnd(b []byte, i int) int {
	if end := whole(b, i); end >= 0 {
		return end
	}
	s := jsonScanner{w: inMemory(b)}
	if s.w.pos = i; s.skip() != nil {
		return -1
	}
	return s.w.pos
}

// space returns where the next byte stands that is not white space.
func space(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// key returns what stands behind the name of a member and its colon, or -1.
func key(b []byte, i int) int {
	if i = space(b, i); i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = quoteEnd(b, i+1); i < 0 {
		return -1
	}
	if i = space(b, i); i >= len(b) || b[i] != ':' {
		return -1
	}
	return i + 1
}

// quoteEnd returns what stands behind the string whose content begins at b[i:],
// or -1.
func quoteEnd(b []byte, i int) int {
	for {
		for ; i+8 <= len(b); i += 8 {
			if found := special(load64(b, i)); found != 0 {
				i += bits.TrailingZeros64(found) / 8
				break
			}
		}
		if i+8 > len(b) {
			i = plain(b, i)
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

// special sets the top bit of the lowest byte of v that is a quote, a backslash or
// a control character, and perhaps of bytes above it; 0 if there is none. See "Bit
// Twiddling Hacks" by S. E. Anderson, "Determine if a word has a zero byte" and
// "... a byte less than n".
func special(v uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := v^('"'*ones), v^('\\'*ones)
	return ((quote-ones)&^quote | (slash-ones)&^slash | (v-' '*ones)&^v) & tops
}

// plain returns where the next quote, backslash or control character stands.
func plain(b []byte, i int) int {
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

// escapeEnd returns what stands behind the escape whose backslash is before b[i:],
// or -1.
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
			if !isHex(c) {
				return -1
			}
		}
		return i + 5
	}
	return -1
}

// word returns what stands behind a word, or -1.
func word(b []byte, i int, w string) int {
	if len(b)-i < len(w) || string(b[i:i+len(w)]) != w {
		return -1
	}
	return i + len(w)
}

// numberEnd returns what stands behind a number, or -1. One that ends where b does
// may go on.
func numberEnd(b []byte, i int) int {
	digits := func() bool {
		from := i
		for i < len(b) && isDigit(b[i]) {
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
