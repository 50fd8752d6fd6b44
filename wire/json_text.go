package wire

import "bytes"

// jsonText is a position in a JSON text in memory that was validated when its record was
// read. Its methods do not validate it again: in a damaged text they may find another
// value or return false, but they never read beyond its end, recurse, or loop.
type jsonText struct {
	b []byte
	i int
}

// peek returns the next byte that is not white space, 0 at the end.
func (t *jsonText) peek() byte {
	for ; t.i < len(t.b); t.i++ {
		switch c := t.b[t.i]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// more consumes the comma before the next element, or the closing bracket, and reports
// whether there is a next element.
func (t *jsonText) more(closing byte) bool {
	switch t.peek() {
	case closing:
		t.i++
		return false
	case ',':
		t.i++
	}
	return true
}

// member consumes the next key and its colon. ok is false if the text is damaged.
func (t *jsonText) member() (key []byte, escaped, ok bool) {
	if t.peek() != '"' {
		return nil, false, false
	}
	if key, escaped, ok = t.str(); !ok || t.peek() != ':' {
		return nil, false, false
	}
	t.i++
	return key, escaped, true
}

// str consumes a string, whose opening quote is next, and returns the bytes between the
// quotes.
func (t *jsonText) str() (raw []byte, escaped, ok bool) {
	from := t.i + 1
	for i := from; ; {
		n := bytes.IndexByte(t.b[i:], '"')
		if n < 0 {
			return nil, false, false
		}
		if bytes.IndexByte(t.b[i:i+n], '\\') < 0 {
			t.i = i + n + 1
			return t.b[from : i+n], escaped, true
		}
		// The quote may be escaped: step over the escapes before it.
		escaped = true
		for end := i + n; i < end; i++ {
			if t.b[i] == '\\' {
				i++
			}
		}
	}
}

// skip consumes one value.
func (t *jsonText) skip() bool {
	switch t.peek() {
	case '"':
		_, _, ok := t.str()
		return ok
	case '{', '[':
		t.i++
		return t.leave()
	}
	return len(t.scalar()) > 0
}

// leave consumes the rest of the current object or array.
func (t *jsonText) leave() bool {
	for depth := 1; t.i < len(t.b); {
		switch t.b[t.i] {
		case '"':
			if _, _, ok := t.str(); !ok {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		t.i++
		if depth == 0 {
			return true
		}
	}
	return false
}

// scalar consumes a number, a boolean or null and returns its text.
func (t *jsonText) scalar() []byte {
	t.peek()
	from := t.i
	for ; t.i < len(t.b); t.i++ {
		switch t.b[t.i] {
		case ',', ']', '}', ' ', '\t', '\n', '\r', ':', '"', '[', '{':
			return t.b[from:t.i]
		}
	}
	return t.b[from:]
}
