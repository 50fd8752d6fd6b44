package wire

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
)

// cbor follows the steps from the next value; see json.
func (w *walker) cbor(s *cborScanner, steps []step, onward bool) bool {
	c, tag, err := s.value()
	if err != nil {
		return false
	}
	if len(steps) == 0 {
		return w.cborLeaf(s, c, tag)
	}
	st, rest := &steps[0], steps[1:]
	switch {
	case st.kind == stepMember && c.major == cborMap:
		g := enter(c)
		found, ok := s.find(&g, st.name)
		if !ok {
			return false
		}
		if !found {
			return w.absent(len(steps))
		}
		if isNull, err := s.null(); err != nil || isNull {
			return err == nil && w.absent(len(steps)) && onward && s.leave(&g)
		}
		return w.cbor(s, rest, onward) && onward && s.leave(&g)
	case st.kind == stepEvery && c.major == cborMap:
		return s.members(c, func([]byte, int64) error {
			if !w.cbor(s, rest, true) {
				return errEnough
			}
			return nil
		}) == nil
	case st.kind != stepMember && c.major == cborArray:
		return w.cborElements(s, c, st, rest)
	}
	return s.rest(c) == nil
}

func (w *walker) cborElements(s *cborScanner, c cborHead, st *step, rest []step) bool {
	g := enter(c)
	for {
		more, err := s.more(&g)
		if err != nil || !more {
			return err == nil
		}
		ok := false
		if st.kind == stepEvery || cborMatches(s, st) {
			ok = w.cbor(s, rest, true)
		} else {
			ok = s.skip() == nil
		}
		if !ok {
			return false
		}
	}
}

// cborMatches reports whether the next value matches a filter. It consumes nothing,
// because the compared member may follow the wanted value.
func cborMatches(s *cborScanner, st *step) bool {
	pos := s.w.pos
	defer func() { s.w.pos = pos }()
	c, _, err := s.value()
	if err != nil || c.major != cborMap {
		return false
	}
	g := enter(c)
	if found, _ := s.find(&g, st.name); !found {
		return false
	}
	if c, _, err = s.value(); err != nil || !c.isText() {
		return false
	}
	text, err := s.str(c)
	return err == nil && string(text) == st.text
}

func (w *walker) cborLeaf(s *cborScanner, c cborHead, tag uint64) bool {
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
		return err == nil && w.emit(w.jsonForm(text, c, tag))
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
	return s.rest(c) == nil
}

// jsonForm returns the text that a string has in JSON: byte strings may have a tag that
// determines it.
func (w *walker) jsonForm(text []byte, c cborHead, tag uint64) []byte {
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
