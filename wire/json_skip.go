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
