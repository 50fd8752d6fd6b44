package wire

import (
	"encoding/binary"
	"fmt"
)

// Major types of CBOR (RFC 8949, 3.1).
const (
	cborUnsigned = iota
	cborNegative
	cborBytes
	cborText
	cborArray
	cborMap
	cborTag
	cborSimple
)

// Values of the low five bits of a head that are not themselves a small number.
const (
	cborArg8       = 24 // the argument follows in one byte
	cborArg64      = 27 // ... in eight
	cborIndefinite = 31 // a break ends the value; with major type 7, the break itself
	cborFalse      = 20
	cborTrue       = 21
	cborNull       = 22
	cborFloat16    = 25
	cborFloat32    = 26
	cborFloat64    = 27
)

// Tags of byte strings that have another text in JSON (RFC 8949, 3.4.5.2).
const (
	cborBase64URL = 21
	cborBase64    = 22
	cborBase16    = 23
)

// cborHead is the head of a value.
type cborHead struct {
	major, info byte
	arg         uint64 // the number, the length, the tag or the bits of a float
	at          int64  // offset in the stream
}

func (h cborHead) open() bool     { return h.info == cborIndefinite }
func (h cborHead) isText() bool   { return h.major == cborBytes || h.major == cborText }
func (h cborHead) isNull() bool   { return h.major == cborSimple && h.info == cborNull }
func (h cborHead) String() string { return fmt.Sprintf("0x%02x", h.major<<5|h.info) }

// cborScanner reads CBOR from a window, value by value. It checks that the CBOR is
// well-formed and has only values that JSON has: keys are strings, and simple values are
// false, true and null. It ignores tags, such as the tag of self-described CBOR.
type cborScanner struct {
	w        *window
	inObject bool
	flaw     *SyntaxError // the first construct in the object that JSON does not have
}

func (s *cborScanner) syntax(at int64, format string, args ...any) error {
	return &SyntaxError{Offset: at, Reason: fmt.Sprintf(format, args...)}
}

// foreign reports a well-formed value that JSON does not have. Inside an object it only
// records the value, because the reader can skip the object.
func (s *cborScanner) foreign(h cborHead, want string) error {
	if s.inObject && s.flaw != nil {
		return nil
	}
	flaw := &SyntaxError{Offset: h.at, Reason: fmt.Sprintf("found %v, want %s", h, want)}
	if !s.inObject {
		return flaw
	}
	s.flaw = flaw
	return nil
}

// head consumes the next head.
func (s *cborScanner) head() (cborHead, error) {
	w := s.w
	if err := w.need(1); err != nil {
		return cborHead{}, err
	}
	c := w.buf[w.pos]
	h := cborHead{major: c >> 5, info: c & 0x1f, at: w.offset()}
	switch {
	case h.info < cborArg8:
		h.arg = uint64(h.info)
		w.pos++
	case h.info <= cborArg64:
		n := 1 << (h.info - cborArg8)
		if err := w.need(1 + n); err != nil {
			return h, err
		}
		var arg [8]byte
		copy(arg[8-n:], w.buf[w.pos+1:])
		h.arg = binary.BigEndian.Uint64(arg[:])
		w.pos += 1 + n
	case h.open() && (h.major == cborSimple || cborBytes <= h.major && h.major <= cborMap):
		w.pos++
	default:
		return h, s.syntax(h.at, "found %v, which does not begin a CBOR value", h)
	}
	return h, nil
}

// value consumes the tags and the head of the next value. It returns the last tag, or 0
// if there is none.
func (s *cborScanner) value() (h cborHead, tag uint64, err error) {
	for {
		if h, err = s.head(); err != nil {
			return h, 0, err
		}
		if h.major != cborTag {
			return h, tag, nil
		}
		tag = h.arg
	}
}

// oddKey records a key that is not a string, given its head, and returns the head of the
// key proper, after its tags.
func (s *cborScanner) oddKey(h cborHead) (cborHead, error) {
	err := s.foreign(h, "a string that names a member")
	if err == nil && h.major == cborTag {
		h, _, err = s.value()
	}
	return h, err
}

// str consumes a string after its head and returns its bytes. They alias the stream
// unless the string has an indefinite length.
func (s *cborScanner) str(h cborHead) ([]byte, error) {
	if !h.open() {
		return s.chunk(h)
	}
	var whole []byte
	for {
		part, more, err := s.nextChunk(h)
		if err != nil || !more {
			return whole, err
		}
		whole = append(whole, part...)
	}
}

func (s *cborScanner) skipString(h cborHead) error {
	if !h.open() {
		return s.w.skip(h.arg)
	}
	for {
		if _, more, err := s.nextChunk(h); err != nil || !more {
			return err
		}
	}
}

// nextChunk consumes the next chunk of a string of indefinite length, or the break after
// the last one.
func (s *cborScanner) nextChunk(h cborHead) (part []byte, more bool, err error) {
	c, err := s.head()
	switch {
	case err != nil:
		return nil, false, err
	case c.major == cborSimple && c.open():
		return nil, false, nil
	case c.major != h.major || c.open():
		return nil, false, s.syntax(c.at, "found %v within a string of indefinite length, want a chunk or a break", c)
	}
	part, err = s.chunk(c)
	return part, true, err
}

// chunk consumes the bytes of a string of definite length.
func (s *cborScanner) chunk(h cborHead) ([]byte, error) {
	w := s.w
	w.token = w.offset()
	err := w.skip(h.arg)
	chunk := span{w.token, w.offset()}
	if w.token = noToken; err != nil {
		return nil, err
	}
	return w.text(chunk), nil
}
