package wire

import (
	"bytes"
	"encoding/base64"
	"math"
	"unicode/utf8"
)

// selfDescribed is the tag before a complete object (RFC 8949, 3.4.6).
const selfDescribed = "\xd9\xd9\xf7"

// cbor decodes an object without indefinite lengths.
func (t *tree) cbor() (any, bool) {
	if bytes.HasPrefix(t.b, []byte(selfDescribed)) {
		t.i = len(selfDescribed)
	}
	v, ok := t.cborValue(0)
	return v, ok && t.i == len(t.b)
}

// cborValue decodes the value that begins at t.i.
func (t *tree) cborValue(depth int) (any, bool) {
	h, ok := t.cborHead()
	if !ok || depth > treeDepth {
		return nil, false
	}
	switch h.major {
	case cborUnsigned:
		return int64(h.arg), h.arg <= math.MaxInt64
	case cborNegative:
		return -1 - int64(h.arg), h.arg <= math.MaxInt64
	case cborBytes, cborText:
		text, ok := t.cborText(h.arg)
		if !ok {
			return nil, false
		}
		return boxed(text), true
	case cborTag:
		return t.cborTagged(h.arg)
	case cborArray:
		from := len(t.waiting)
		for range h.arg {
			v, ok := t.cborValue(depth + 1)
			if !ok {
				return nil, false
			}
			t.waiting = append(t.waiting, member{value: v})
		}
		return t.array(from), true
	case cborMap:
		return t.cborMap(h.arg, depth)
	case cborSimple:
		switch h.info {
		case cborFalse, cborTrue:
			return h.info == cborTrue, true
		case cborNull:
			return nil, true
		case cborFloat16, cborFloat32, cborFloat64:
			v := h.float()
			return v, !math.IsNaN(v) && !math.IsInf(v, 0)
		}
	}
	return nil, false
}

// cborTagged decodes bytes that are base64 in JSON, such as those of a Secret. The
// library decodes other tags.
func (t *tree) cborTagged(tag uint64) (any, bool) {
	h, ok := t.cborHead()
	if !ok || tag != cborBase64 || h.major != cborBytes || h.arg > uint64(len(t.b)-t.i) {
		return nil, false
	}
	data := t.b[t.i : t.i+int(h.arg)]
	t.i += len(data)
	t.scratch = base64.StdEncoding.AppendEncode(t.scratch[:0], data)
	return boxed(t.scratch), true
}

func (t *tree) cborMap(pairs uint64, depth int) (any, bool) {
	from := len(t.waiting)
	for range pairs {
		h, ok := t.cborHead()
		if !ok || !h.isText() {
			return nil, false
		}
		name, ok := t.cborText(h.arg)
		if !ok {
			return nil, false
		}
		v, ok := t.cborValue(depth + 1)
		if !ok {
			return nil, false
		}
		t.waiting = append(t.waiting, member{sharedText(name), v})
	}
	m := t.object(from)
	return m, uint64(len(m)) == pairs // a duplicate key is an error
}

// cborText consumes a string of n bytes.
func (t *tree) cborText(n uint64) ([]byte, bool) {
	if n > uint64(len(t.b)-t.i) {
		return nil, false
	}
	text := t.b[t.i : t.i+int(n)]
	t.i += int(n)
	return text, utf8.Valid(text) // the library decides about invalid UTF-8
}

// cborHead consumes the head of a value.
func (t *tree) cborHead() (h cborHead, ok bool) {
	if t.i >= len(t.b) {
		return h, false
	}
	c := t.b[t.i]
	t.i++
	h.major, h.info = c>>5, c&0x1f
	if h.info < cborArg8 {
		h.arg = uint64(h.info)
		return h, true
	}
	n := 1 << (h.info - cborArg8)
	if h.info > cborArg64 || len(t.b)-t.i < n {
		return h, false
	}
	for _, c := range t.b[t.i : t.i+n] {
		h.arg = h.arg<<8 | uint64(c)
	}
	t.i += n
	return h, true
}
