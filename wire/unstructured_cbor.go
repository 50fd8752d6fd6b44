package wire

import (
	"encoding/binary"
	"math"
)

// cbor decodes an object of definite lengths, without tags.
func (t *tree) cbor() (any, bool) {
	v, ok := t.cborValue(0)
	return v, ok && t.i == len(t.b)
}

// cborValue decodes the value that begins at t.i.
func (t *tree) cborValue(depth int) (any, bool) {
	major, info, arg, ok := t.cborHead()
	if !ok || depth > treeDepth {
		return nil, false
	}
	switch major {
	case cborUnsigned:
		return int64(arg), arg <= math.MaxInt64
	case cborNegative:
		return -1 - int64(arg), arg <= math.MaxInt64
	case cborBytes, cborText:
		text, ok := t.cborText(arg)
		if !ok {
			return nil, false
		}
		return boxed(text), true
	case cborArray:
		from := len(t.waiting)
		for range arg {
			v, ok := t.cborValue(depth + 1)
			if !ok {
				return nil, false
			}
			t.waiting = append(t.waiting, member{value: v})
		}
		return t.array(from), true
	case cborMap:
		return t.cborMap(arg, depth)
	case cborSimple:
		switch info {
		case cborFalse, cborTrue:
			return info == cborTrue, true
		case cborNull:
			return nil, true
		case cborFloat64:
			v := math.Float64frombits(arg)
			return v, !math.IsNaN(v) && !math.IsInf(v, 0)
		}
	}
	return nil, false
}

func (t *tree) cborMap(pairs uint64, depth int) (any, bool) {
	from := len(t.waiting)
	for range pairs {
		major, _, arg, ok := t.cborHead()
		if !ok || major != cborBytes && major != cborText {
			return nil, false
		}
		name, ok := t.cborText(arg)
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
	return m, uint64(len(m)) == pairs // a key that comes twice is an error
}

// cborText consumes a string of n bytes.
func (t *tree) cborText(n uint64) ([]byte, bool) {
	if n > uint64(len(t.b)-t.i) {
		return nil, false
	}
	text := t.b[t.i : t.i+int(n)]
	t.i += int(n)
	return text, validText(text)
}

// cborHead consumes the head of a value.
func (t *tree) cborHead() (major, info byte, arg uint64, ok bool) {
	if t.i >= len(t.b) {
		return 0, 0, 0, false
	}
	c := t.b[t.i]
	t.i++
	major, info = c>>5, c&0x1f
	if info < cborArg8 {
		return major, info, uint64(info), true
	}
	n := 1 << (info - cborArg8)
	if info > cborArg64 || len(t.b)-t.i < n {
		return 0, 0, 0, false
	}
	var b [8]byte
	copy(b[8-n:], t.b[t.i:t.i+n])
	t.i += n
	return major, info, binary.BigEndian.Uint64(b[:]), true
}
