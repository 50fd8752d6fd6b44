package jsontext

// Cursor is a position in a JSON text. A mistake in the text is final: the cursor then
// moves to the end, Failed returns true, and every method finds nothing. The caller
// therefore need not check each step. The zero value is at the end of an empty text.
//
//	for c.Enter(); c.Next('}', first); first = false {
//		key, _ := c.Key()
//		value := c.Value()
//	}
type Cursor struct {
	text    []byte
	pos     int
	failed  bool
	scratch []byte // for strings with escapes
}

// Reset moves the cursor to the start of text. It does not copy text.
func (c *Cursor) Reset(text []byte) { c.text, c.pos, c.failed = text, 0, false }

// Failed reports whether the cursor has met a mistake.
func (c *Cursor) Failed() bool { return c.failed }

// AtEnd reports whether only white space follows, and no mistake was met.
func (c *Cursor) AtEnd() bool { return c.Peek() == 0 && c.pos == len(c.text) && !c.failed }

// Offset returns the index of the next byte.
func (c *Cursor) Offset() int { return c.pos }

// Seek moves to an offset that was returned by Offset. It does not undo a failure.
func (c *Cursor) Seek(offset int) {
	if !c.failed {
		c.pos = offset
	}
}

// Fail ends the reading, for a mistake that the caller has found.
func (c *Cursor) Fail() { c.pos, c.failed = len(c.text), true }

// Peek skips white space and returns the next byte without consuming it, or 0 at the end.
func (c *Cursor) Peek() byte {
	if c.pos < len(c.text) && c.text[c.pos] > ' ' {
		return c.text[c.pos]
	}
	if c.pos = Space(c.text, c.pos); c.pos < len(c.text) {
		return c.text[c.pos]
	}
	return 0
}

// Enter consumes an opening bracket, which must come next.
func (c *Cursor) Enter() {
	if c.pos < len(c.text) {
		c.pos++
	}
}

// Next moves to the next member or element of the object or array around the cursor, and
// reports whether there is one. If not, it consumes the closing bracket. first states that
// none of them has been read.
func (c *Cursor) Next(closing byte, first bool) bool {
	switch next := c.Peek(); {
	case next == 0:
		c.Fail()
		return false
	case next == closing:
		c.pos++
		return false
	case first:
		return true
	case next != ',':
		c.Fail()
		return false
	}
	c.pos++
	if next := c.Peek(); next == closing { // a trailing comma
		c.Fail()
		return false
	}
	return true
}

// Key consumes the name of a member and its colon. raw is the text between the quotes;
// escaped reports whether it contains escapes.
func (c *Cursor) Key() (raw []byte, escaped bool) {
	if raw, escaped = c.Raw(); c.Peek() != ':' {
		c.Fail()
		return nil, false
	}
	c.pos++
	return raw, escaped
}

// Raw consumes a string, and returns the text between its quotes. escaped reports whether
// it contains escapes.
func (c *Cursor) Raw() (raw []byte, escaped bool) {
	if c.Peek() != '"' {
		c.Fail()
		return nil, false
	}
	from := c.pos + 1
	end := PlainEnd(c.text, from)
	if end < len(c.text) && c.text[end] == '"' {
		c.pos = end + 1
		return c.text[from:end], false
	}
	if end = StringEnd(c.text, from); end < 0 {
		c.Fail()
		return nil, false
	}
	c.pos = end
	return c.text[from : end-1], true
}

// Str consumes a string, and returns its value. The bytes belong to the text or to the
// cursor, and are valid until the next call of a method.
func (c *Cursor) Str() []byte {
	raw, escaped := c.Raw()
	return c.unescaped(raw, escaped)
}

// Name is Key for the value of the name. The bytes are valid until the next call.
func (c *Cursor) Name() []byte {
	raw, escaped := c.Key()
	return c.unescaped(raw, escaped)
}

func (c *Cursor) unescaped(raw []byte, escaped bool) []byte {
	if !escaped {
		return raw
	}
	c.scratch = Unescape(c.scratch[:0], raw)
	return c.scratch
}

// Skip consumes a value.
func (c *Cursor) Skip() {
	if c.pos = ValueEnd(c.text, c.pos); c.pos < 0 {
		c.Fail()
	}
}

// Value consumes a value, and returns its text.
func (c *Cursor) Value() []byte {
	c.Peek()
	from := c.pos
	c.Skip()
	if c.failed {
		return nil
	}
	return c.text[from:c.pos]
}

// Find moves to the value of the named member of the object that was entered. If there is
// none, it moves to the end of the object and returns false.
func (c *Cursor) Find(name string) bool {
	for first := true; c.Next('}', first); first = false {
		if string(c.Name()) == name && !c.failed {
			return true
		}
		c.Skip()
	}
	return false
}

// Into moves to the value of the named member of the object that comes next, and reports
// whether the object and the member exist.
func (c *Cursor) Into(name string) bool {
	if c.Peek() != '{' {
		return false
	}
	c.Enter()
	return c.Find(name)
}

// Leave consumes the rest of the object around the cursor, after one of its values.
func (c *Cursor) Leave() {
	for c.Next('}', false) {
		c.Key()
		c.Skip()
	}
}
