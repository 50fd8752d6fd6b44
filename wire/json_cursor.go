package wire

import (
	"io"
	"strconv"
)

// jsonCursor is the cursor of JSON. If the end of a damaged object is certain, the damage
// makes only the object unusable, not the stream.
type jsonCursor struct{ jsonScanner }

func newJSONCursor(w *window) *jsonCursor { return &jsonCursor{jsonScanner{w: w}} }

func (s *jsonCursor) window() *window    { return s.w }
func (s *jsonCursor) encoding() Encoding { return JSON }

// frame skips the white space between frames, usually a line break, and the white space
// between the elements of a list. It is not part of the next frame or element: a stream may
// end after it, and it does not count toward the limit of a value, however it arrives.
func (s *jsonCursor) frame() (end bool, err error) {
	for {
		if end, err := s.w.atEnd(); err != nil || end {
			return end, err
		}
		if c := s.w.buf[s.w.pos]; c != '\n' && c != ' ' && c != '\r' && c != '\t' {
			return false, nil
		}
		s.w.pos++
	}
}

func (s *jsonCursor) tail() error {
	switch end, err := s.frame(); {
	case err != nil:
		return err
	case end:
		return io.EOF
	}
	return s.syntax("found %q after the end", s.w.buf[s.w.pos])
}

func (s *jsonCursor) enter(g *group, _ string) error {
	*g = group{}
	return s.bracket('{')
}

func (s *jsonCursor) items(g *group) (bool, error) {
	c, err := s.peek()
	if err != nil || c == 'n' {
		return false, s.skip()
	}
	*g = group{}
	err = s.bracket('[')
	return err == nil, err
}

func (s *jsonCursor) mapField(h *head, field string, g *group) (bool, error) {
	c, err := s.peek()
	if err != nil {
		return false, err
	}
	if c == '{' {
		return true, s.enter(g, field)
	}
	if c != 'n' {
		h.fail("%s is not an object", field)
	}
	return false, s.skip()
}

func (s *jsonCursor) member(g *group) (key []byte, ok bool, err error) {
	g.comma = s.w.offset()
	key, g.at, ok, err = s.jsonScanner.member(g.n)
	g.n++
	return key, ok, err
}

func (s *jsonCursor) element(g *group) (bool, error) {
	if _, err := s.frame(); err != nil {
		return false, err
	}
	ok, err := s.more(g.n, ']')
	if err != nil || !ok {
		return false, err
	}
	g.n++
	if _, err := s.frame(); err != nil {
		return false, err
	}
	_, err = s.peek() // an end of the stream is an error here
	return err == nil, err
}

func (s *jsonCursor) begin(h *head, g *group) (bool, error) {
	c, err := s.peek()
	if err != nil {
		return false, err
	}
	h.reset(s.w.offset())
	s.w.object = true
	outside := s.open.depth
	if c != '{' {
		h.fail("it is not a JSON object: it begins with %q", c)
		return false, s.contain(h, outside, s.skip())
	}
	err = s.enter(g, "")
	g.outside = outside
	return err == nil, err
}

func (s *jsonCursor) end(h *head, g *group, err error) error {
	err = s.contain(h, g.outside, err)
	h.whole.to = s.w.offset()
	return err
}

// contain turns damage within an object, around which outside brackets are open, into a
// flaw of the object.
func (s *jsonCursor) contain(h *head, outside int, err error) error {
	if damage, ok := err.(*SyntaxError); ok && !s.torn && s.open.depth > outside {
		h.fail("damaged at byte %d: %s", damage.Offset, damage.Reason)
		return s.leave(outside)
	}
	return err
}

// managed records the bytes to cut: the member with the comma before it, or with the comma
// after it if no remaining member precedes it.
func (s *jsonCursor) managed(h *head, g *group) error {
	if err := s.skip(); err != nil {
		return err
	}
	cut := span{from: g.comma, to: s.w.offset()}
	if g.n-1 == len(h.managed) {
		cut.from = g.at
		c, err := s.peek()
		if err != nil {
			return err
		}
		if c == ',' {
			cut.to = s.w.offset() + 1
		}
	}
	h.managed = append(h.managed, cut)
	return nil
}

func (s *jsonCursor) text(h *head, field string, dst *[]byte) error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	switch c {
	case '"':
		*dst, err = s.str()
		return err
	case 'n':
		*dst = nil
	default:
		h.noString(field, dst)
	}
	return s.skip()
}

func (s *jsonCursor) integer(dst *int64) error {
	if _, err := s.peek(); err != nil {
		return err
	}
	from := s.w.offset()
	if err := s.skip(); err != nil {
		return err
	}
	if v, err := strconv.ParseInt(string(s.w.slice(span{from, s.w.offset()})), 10, 64); err == nil {
		*dst = v
	}
	return nil
}
