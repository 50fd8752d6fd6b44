package wire

import "encoding/binary"

// Results of decoding that are not an index.
const (
	unusual = -1 // not the form that servers write; the generated code must decode it
	deep    = -2 // nested more than maxDepth deep
)

// next returns the k-th of the consecutive values that run has counted, and the index
// after it. The tag of the first value has been read.
func (s *slot) next(b []byte, i, k int) ([]byte, int) {
	if k > 0 {
		if i++; s.tag >= 0x80 {
			_, i = varint(b, i-1)
		}
	}
	n := uint64(b[i])
	if i++; n >= 0x80 {
		n, i = longVarint(b, i-1)
	}
	return b[i : i+int(n)], i + int(n)
}

// run returns the number of consecutive values of a field, the first of which is at
// b[i:], and the end of the last. The number is negative if the bytes are unusual.
func (s *slot) run(b []byte, i int) (n, end int) {
	for n = 1; ; n++ {
		if i < len(b) && b[i] < 0x80 && s.tag&7 == protoBytes {
			i += 1 + int(b[i])
		} else if i = skipValue(b, i, uint64(s.tag)); i < 0 {
			return unusual, 0
		}
		if i >= len(b) {
			if i > len(b) {
				return unusual, 0
			}
			return n, i
		}
		tag, next := uint64(b[i]), i+1
		if tag >= 0x80 && s.tag >= 0x80 {
			tag, next = longVarint(b, i)
		}
		if tag != uint64(s.tag) {
			return n, i
		}
		i = next
	}
}

// varint returns the number at b[i:] and the index after it, or unusual.
func varint(b []byte, i int) (uint64, int) {
	if i < len(b) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return longVarint(b, i)
}

func longVarint(b []byte, i int) (uint64, int) {
	if i < 0 || i >= len(b) {
		return 0, unusual
	}
	v, n := binary.Uvarint(b[i:])
	if n <= 0 {
		return 0, unusual
	}
	return v, i + n
}

// sized returns the bytes at b[i:] that are preceded by their length, and the index after
// them, or unusual.
func sized(b []byte, i int) ([]byte, int) {
	n, i := varint(b, i)
	if i < 0 || n > uint64(len(b)-i) {
		return nil, unusual
	}
	end := i + int(n)
	return b[i:end:end], end
}

// skipValue returns the index after the value at b[i:] of a field with the given tag, or
// unusual.
func skipValue(b []byte, i int, tag uint64) int {
	switch tag & 7 {
	case protoVarint:
		_, i = varint(b, i)
	case protoBytes:
		_, i = sized(b, i)
	case protoFixed64:
		i += 8
	case protoFixed32:
		i += 4
	default:
		return unusual
	}
	if i > len(b) || tag>>3 == 0 {
		return unusual
	}
	return i
}
