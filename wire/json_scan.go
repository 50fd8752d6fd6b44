package wire

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/vedette-io/vedette/internal/jsontext"
)

// jsonScanner reads JSON from a window, token by token, and validates it against the
// grammar of RFC 8259. It reads more bytes as needed.
type jsonScanner struct {
	w     *window
	open  nesting
	torn  bool  // a string or the brackets are damaged: the end of the value is unknown
	tried int64 // no value that begins before this offset has arrived completely
}

func (s *jsonScanner) syntax(format string, args ...any) error {
	return &SyntaxError{Offset: s.w.offset(), Reason: fmt.Sprintf(format, args...)}
}

// peek returns the next byte that is not white space, without consuming it.
func (s *jsonScanner) peek() (byte, error) {
	w := s.w
	for {
		for w.pos < len(w.buf) {
			switch c := w.buf[w.pos]; c {
			case ' ', '\t', '\n', '\r':
				w.pos++
			default:
				return c, nil
			}
		}
		if err := w.fill(); err != nil {
			return 0, midValue(err)
		}
	}
}

// next consumes one byte, white space or not.
func (s *jsonScanner) next() (byte, error) {
	w := s.w
	if w.pos == len(w.buf) {
		if err := w.fill(); err != nil {
			return 0, midValue(err)
		}
	}
	c := w.buf[w.pos]
	w.pos++
	return c, nil
}

// bracket consumes the bracket that starts an object or array.
func (s *jsonScanner) bracket(bracket byte) error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	if c != bracket {
		return s.syntax("found %q, want %q", c, bracket)
	}
	s.open.push(bracket == '{')
	s.w.pos++
	return nil
}

// more reports whether another element follows in an array or object of which n elements
// have been read. It consumes the comma before the element, or the closing bracket.
func (s *jsonScanner) more(n int, closing byte) (bool, error) {
	c, err := s.peek()
	if err != nil {
		return false, err
	}
	if c == closing {
		s.w.pos++
		s.open.pop()
		return false, nil
	}
	if n == 0 {
		return true, nil
	}
	if c != ',' {
		return false, s.syntax("found %q, want ',' or %q", c, closing)
	}
	s.w.pos++
	return true, nil
}

// member consumes the key and colon of the next member of an object of which n members
// have been read. ok is false at the end of the object. at is the offset of the key's
// opening quote.
func (s *jsonScanner) member(n int) (key []byte, at int64, ok bool, err error) {
	if ok, err = s.more(n, '}'); err != nil || !ok {
		return nil, 0, false, err
	}
	c, err := s.peek()
	if err != nil {
		return nil, 0, false, err
	}
	at = s.w.offset()
	if c != '"' {
		return nil, 0, false, s.syntax("found %q, want the name of a member", c)
	}
	if key, err = s.str(); err != nil {
		return nil, 0, false, err
	}
	if c, err = s.peek(); err != nil {
		return nil, 0, false, err
	}
	if c != ':' {
		return nil, 0, false, s.syntax("found %q, want ':'", c)
	}
	s.w.pos++
	return key, at, true, nil
}

// str consumes a string, whose opening quote is next, and returns its value. A value
// without escapes aliases the stream.
func (s *jsonScanner) str() ([]byte, error) {
	start := s.w.offset()
	s.w.token = start
	escaped, err := s.skipString()
	s.w.token = noToken
	if err != nil {
		return nil, err
	}
	quoted := s.w.text(span{start, s.w.offset()})
	if quoted == nil {
		return nil, nil
	}
	if !escaped {
		return quoted[1 : len(quoted)-1], nil
	}
	var v string
	if err := json.Unmarshal(quoted, &v); err != nil {
		return nil, &SyntaxError{Offset: start, Reason: err.Error()}
	}
	return []byte(v), nil
}

// skipString consumes a string up to its end, even if it contains an invalid escape.
// Its opening quote must come next.
func (s *jsonScanner) skipString() (escaped bool, err error) {
	w := s.w
	w.pos++
	var flaw error
	for {
		for w.pos = jsontext.PlainEnd(w.buf, w.pos); w.pos < len(w.buf); w.pos = jsontext.PlainEnd(w.buf, w.pos) {
			c := w.buf[w.pos]
			switch {
			case c == '"':
				w.pos++
				return escaped, flaw
			case c < ' ':
				s.torn = true // most likely the closing quote is missing
				return false, s.syntax("control character 0x%02x in a string", c)
			}
			escaped = true
			if err := s.skipEscape(); isSyntax(err) {
				flaw = cmp.Or(flaw, err)
			} else if err != nil {
				return false, err
			}
		}
		if err := w.fill(); err != nil {
			return false, midValue(err)
		}
	}
}

// skipEscape consumes an escape sequence, beginning with its backslash.
func (s *jsonScanner) skipEscape() error {
	s.w.pos++
	c, err := s.next()
	if err != nil {
		return err
	}
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		for range 4 {
			h, err := s.peekRaw()
			if err != nil {
				return err
			}
			if !jsontext.IsHex(h) {
				return s.syntax("found %q in a \\u escape, want a hexadecimal digit", h)
			}
			s.w.pos++
		}
		return nil
	}
	return s.syntax("unknown escape \\%c", c)
}

// name consumes the name of a member and its colon.
func (s *jsonScanner) name() error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	if c != '"' {
		return s.syntax("found %q, want the name of a member", c)
	}
	if _, err = s.skipString(); err != nil {
		return err
	}
	if c, err = s.peek(); err != nil {
		return err
	}
	if c != ':' {
		return s.syntax("found %q, want ':'", c)
	}
	s.w.pos++
	return nil
}

func (s *jsonScanner) literal(word string) error {
	for i := range len(word) {
		c, err := s.peekRaw()
		if err != nil {
			return err
		}
		if c != word[i] {
			return s.syntax("found %q within %q", c, word)
		}
		s.w.pos++
	}
	return nil
}

// peekRaw returns the next byte, white space or not, without consuming it.
func (s *jsonScanner) peekRaw() (byte, error) {
	w := s.w
	if w.pos == len(w.buf) {
		if err := w.fill(); err != nil {
			return 0, midValue(err)
		}
	}
	return w.buf[w.pos], nil
}
