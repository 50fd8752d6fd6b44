package wire

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
)

// cborFields is the fieldCursor of CBOR.
type cborFields struct {
	cborScanner
	to   *fieldSink
	last cborHead // the head of the last value
	tag  uint64   // its tag
}

func (s *cborFields) value() (v fieldValue, ok bool) {
	c, tag, err := s.cborScanner.value()
	s.last, s.tag = c, tag
	return fieldValue{cborGroup: enter(c), isMap: c.major == cborMap, isArray: c.major == cborArray, isNull: c.isNull()}, err == nil
}

func (s *cborFields) skip() bool { return s.cborScanner.skip() == nil }

func (s *cborFields) rest(v fieldValue) bool {
	switch {
	case v.isMap:
		return s.leave(&v.cborGroup)
	case v.isArray:
		for {
			if more, err := s.more(&v.cborGroup); err != nil || !more {
				return err == nil
			}
			if !s.skip() {
				return false
			}
		}
	}
	return s.cborScanner.rest(s.last) == nil
}

func (s *cborFields) next(v fieldValue) (after fieldValue, more, ok bool) {
	for {
		more, err := s.more(&v.cborGroup)
		if err != nil || !more || v.isArray {
			return v, more && err == nil, err == nil
		}
		_, named, err := s.key()
		if err != nil || named {
			return v, err == nil, err == nil
		}
		if !s.skip() {
			return v, false, false
		}
	}
}

func (s *cborFields) find(v fieldValue, name string) (after fieldValue, found, ok bool) {
	found, ok = s.cborScanner.find(&v.cborGroup, name)
	return v, found, ok
}

func (s *cborFields) matches(st *step) bool {
	from := s.w.pos
	defer func() { s.w.pos = from }()
	c, _, err := s.cborScanner.value()
	if err != nil || c.major != cborMap {
		return false
	}
	g := enter(c)
	if found, _ := s.cborScanner.find(&g, st.name); !found {
		return false
	}
	if c, _, err = s.cborScanner.value(); err != nil || !c.isText() {
		return false
	}
	text, err := s.str(c)
	return err == nil && string(text) == st.text
}

func (s *cborFields) leaf(v fieldValue) bool {
	w, c := s.to, s.last
	switch c.major {
	case cborUnsigned:
		w.scratch = strconv.AppendUint(w.scratch[:0], c.arg, 10)
		return w.emit(w.scratch)
	case cborNegative:
		if c.arg > math.MaxInt64 {
			return true // not a 64-bit number
		}
		w.scratch = strconv.AppendInt(w.scratch[:0], -1-int64(c.arg), 10)
		return w.emit(w.scratch)
	case cborBytes, cborText:
		text, err := s.str(c)
		return err == nil && w.emit(w.jsonForm(text, c, s.tag))
	case cborSimple:
		switch c.info {
		case cborFalse, cborTrue:
			w.scratch = strconv.AppendBool(w.scratch[:0], c.info == cborTrue)
			return w.emit(w.scratch)
		case cborFloat16, cborFloat32, cborFloat64:
			w.scratch = appendFloat(w.scratch[:0], c.float())
			return len(w.scratch) == 0 || w.emit(w.scratch)
		}
	}
	return s.rest(v)
}

// jsonForm returns the text that a string has in JSON: byte strings may have a tag that
// determines it.
func (w *fieldSink) jsonForm(text []byte, c cborHead, tag uint64) []byte {
	if c.major == cborText {
		return text
	}
	switch tag {
	case cborBase64URL:
		w.scratch = base64.RawURLEncoding.AppendEncode(w.scratch[:0], text)
	case cborBase64:
		w.scratch = base64.StdEncoding.AppendEncode(w.scratch[:0], text)
	case cborBase16:
		w.scratch = hex.AppendEncode(w.scratch[:0], text)
	default:
		return text
	}
	return w.scratch
}

// float returns the number whose bits are the argument of a head. The result is NaN or an
// infinity for values that are not numbers.
func (h cborHead) float() float64 {
	switch h.info {
	case cborFloat64:
		return math.Float64frombits(h.arg)
	case cborFloat32:
		return float64(math.Float32frombits(uint32(h.arg)))
	}
	sign, exp, frac := h.arg>>15, int(h.arg>>10&0x1f), float64(h.arg&0x3ff)
	v := math.Ldexp(frac+1024, exp-25)
	switch {
	case exp == 0:
		v = math.Ldexp(frac, -24)
	case exp == 31:
		v = math.NaN() // or an infinity: JSON has neither
	}
	if sign == 1 {
		v = -v
	}
	return v
}

// appendFloat appends a number as encoding/json writes it. It appends nothing for NaN and
// infinities, which JSON does not have.
func appendFloat(dst []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return dst
	}
	if a := math.Abs(v); a == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(dst, v, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, v, 'e', -1, 64)
	// Write e-09 as e-9.
	if n := len(dst); n >= 4 && string(dst[n-4:n-1]) == "e-0" {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
