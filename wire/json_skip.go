package wire

import "github.com/vedette-io/vedette/internal/jsontext"

// skip consumes one value of any kind, at any nesting depth.
func (s *jsonScanner) skip() error {
	for depth := s.open.depth; ; {
		opened, err := s.begin()
		if err != nil {
			return err
		}
		// Close all brackets that end here, and continue with the next value.
		for {
			if s.open.depth == depth {
				return nil
			}
			c, err := s.peek()
			if err != nil {
				return err
			}
			object := s.open.object()
			closing := byte(']')
			if object {
				closing = '}'
			}
			if c == closing {
				s.w.pos++
				s.open.pop()
				opened = false
				continue
			}
			if !opened {
				if c != ',' {
					return s.syntax("found %q, want ',' or %q", c, closing)
				}
				s.w.pos++
			}
			if object {
				if err := s.name(); err != nil {
					return err
				}
			}
			break
		}
	}
}

// begin consumes a value, or its opening bracket.
func (s *jsonScanner) begin() (opened bool, err error) {
	c, err := s.peek()
	if err != nil {
		return false, err
	}
	if s.skipWhole() {
		return false, nil
	}
	switch {
	case c == '"':
		_, err = s.skipString()
		return false, err
	case c == '{' || c == '[':
		s.w.pos++
		s.open.push(c == '{')
		return true, nil
	case c == 't':
		return false, s.literal("true")
	case c == 'f':
		return false, s.literal("false")
	case c == 'n':
		return false, s.literal("null")
	case c == '-' || jsontext.IsDigit(c):
		return false, s.number()
	}
	return false, s.syntax("found %q, want a value", c)
}

// skipWhole consumes the next value if all of it has arrived, and reports whether it did.
// After a failure it does not search again until more data has arrived, because otherwise
// a value in many pieces would be scanned once per piece.
func (s *jsonScanner) skipWhole() bool {
	w := s.w
	if w.offset() < s.tried {
		return false
	}
	end := jsontext.ValueEnd(w.buf, w.pos)
	if end < 0 {
		s.tried = w.base + int64(len(w.buf))
		return false
	}
	w.pos = end
	return true
}

// leave consumes the rest of the open brackets, down to depth outside. It checks only
// strings and brackets, which must be intact.
func (s *jsonScanner) leave(outside int) error {
	for s.open.depth > outside {
		c, err := s.peek()
		if err != nil {
			return err
		}
		switch c {
		case '"':
			if _, err := s.skipString(); err != nil && (s.torn || !isSyntax(err)) {
				return err
			}
			continue
		case '{', '[':
			s.open.push(c == '{')
		case '}', ']':
			if s.open.object() != (c == '}') {
				return s.syntax("found %q, which does not match the last open bracket", c)
			}
			s.open.pop()
		default:
			if c < ' ' {
				return s.syntax("control character 0x%02x", c)
			}
		}
		s.w.pos++
	}
	return nil
}
