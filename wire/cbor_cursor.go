package wire

import (
	"io"
	"math"
)

// cborCursor is the cursor of CBOR. A well-formed value that JSON does not have makes only
// the object unusable, not the stream.
type cborCursor struct{ cborScanner }

func newCBORCursor(w *window) *cborCursor { return &cborCursor{cborScanner{w: w}} }

func (s *cborCursor) window() *window    { return s.w }
func (s *cborCursor) encoding() Encoding { return CBOR }

func (s *cborCursor) frame() (end bool, err error) { return s.w.atEnd() }

func (s *cborCursor) tail() error {
	end, err := s.w.atEnd()
	switch {
	case err != nil:
		return err
	case end:
		return io.EOF
	}
	return s.syntax(s.w.offset(), "found 0x%02x after the end", s.w.buf[s.w.pos])
}

func (s *cborCursor) enter(g *group, want string) error {
	c, _, err := s.value()
	if err != nil {
		return err
	}
	if c.major != cborMap {
		return s.syntax(c.at, "found %v, want %s", c, want)
	}
	s.start(g, c)
	return nil
}

// start begins a group after its head was consumed.
func (s *cborCursor) start(g *group, c cborHead) {
	g.cborGroup, g.number = enter(c), span{}
	if !g.open {
		g.number = span{c.at, s.w.offset()}
	}
}

func (s *cborCursor) items(g *group) (bool, error) {
	c, _, err := s.value()
	if err != nil || c.isNull() {
		return false, err
	}
	if c.major != cborArray {
		return false, s.syntax(c.at, "found %v, want an array of items", c)
	}
	s.start(g, c)
	return true, nil
}

func (s *cborCursor) mapField(h *head, field string, g *group) (bool, error) {
	c, _, err := s.value()
	if err != nil {
		return false, err
	}
	if c.major == cborMap {
		s.start(g, c)
		return true, nil
	}
	if !c.isNull() {
		h.fail("%s is not a map", field)
	}
	return false, s.rest(c)
}

// member skips members whose keys are not strings.
func (s *cborCursor) member(g *group) (key []byte, ok bool, err error) {
	for {
		if more, err := s.more(&g.cborGroup); err != nil || !more {
			return nil, false, err
		}
		g.at = s.w.offset()
		if key, ok, err = s.key(); err != nil || ok {
			return key, ok, err
		}
		if err := s.skip(); err != nil {
			return nil, false, err
		}
	}
}

func (s *cborCursor) element(g *group) (bool, error) { return s.more(&g.cborGroup) }

func (s *cborCursor) begin(h *head, g *group) (bool, error) {
	c, _, err := s.value()
	if err != nil {
		return false, err
	}
	h.reset(c.at) // tags before it are not part of the object
	s.w.object, s.inObject, s.flaw = true, true, nil
	if c.major != cborMap {
		h.fail("it is not a map: it begins with %v", c)
		return false, s.rest(c)
	}
	s.start(g, c)
	return true, nil
}

func (s *cborCursor) end(h *head, _ *group, err error) error {
	if s.inObject = false; s.flaw != nil {
		h.fail("damaged at byte %d: %s", s.flaw.Offset, s.flaw.Reason)
	}
	h.whole.to = s.w.offset()
	return err
}

func (s *cborCursor) managed(h *head, g *group) error {
	err := s.skip()
	h.cutManaged(span{g.at, s.w.offset()})
	h.members--
	return err
}

// text marks the object unusable for tagged bytes too, because their JSON form is a
// different text.
func (s *cborCursor) text(h *head, field string, dst *[]byte) error {
	c, tag, err := s.value()
	if err != nil {
		return err
	}
	switch {
	case c.isText() && (tag < cborBase64URL || tag > cborBase16):
		*dst, err = s.str(c)
		return err
	case c.isNull():
		*dst = nil
	default:
		h.noString(field, dst)
	}
	return s.rest(c)
}

func (s *cborCursor) integer(dst *int64) error {
	c, _, err := s.value()
	if err != nil {
		return err
	}
	if c.major == cborUnsigned && c.arg <= math.MaxInt64 {
		*dst = int64(c.arg)
	}
	return s.rest(c)
}
