package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Wire types of the protobuf encoding. Groups, 3 and 4, are not in use.
const (
	protoVarint  = 0
	protoFixed64 = 1
	protoBytes   = 2
	protoFixed32 = 5
)

// protoMagic precedes every self-describing protobuf object of the API, which is a
// runtime.Unknown message.
const protoMagic = "k8s\x00"

// Field numbers of runtime.Unknown and its TypeMeta.
const (
	unknownTypeMeta        = 1
	unknownRaw             = 2
	unknownContentEncoding = 3
	typeMetaAPIVersion     = 1
	typeMetaKind           = 2
)

// field is one field of a protobuf message in memory.
type field struct {
	num  int
	kind int
	val  []byte // value of protoBytes, else nil
	from int    // index of the tag
	size int    // index of the length of protoBytes
	body int    // index of val
	end  int    // index after the field
}

// nextField reads the field at index i of message b.
func nextField(b []byte, i int) (field, error) {
	f := field{from: i}
	tag, n := binary.Uvarint(b[i:])
	if n <= 0 || tag>>3 == 0 || tag>>3 > math.MaxInt32 {
		return f, fmt.Errorf("not a field tag")
	}
	f.num, f.kind = int(tag>>3), int(tag&7)
	i += n
	switch f.kind {
	case protoVarint:
		if _, n = binary.Uvarint(b[i:]); n <= 0 {
			return f, fmt.Errorf("field %d: not a varint", f.num)
		}
		f.end = i + n
	case protoFixed64, protoFixed32:
		f.end = i + 8
		if f.kind == protoFixed32 {
			f.end = i + 4
		}
		if f.end > len(b) {
			return f, fmt.Errorf("field %d is truncated", f.num)
		}
	case protoBytes:
		size, n := binary.Uvarint(b[i:])
		if n <= 0 || size > uint64(len(b)-i-n) {
			return f, fmt.Errorf("field %d is longer than its message", f.num)
		}
		f.size, f.body = i, i+n
		f.end = f.body + int(size)
		f.val = b[f.body:f.end:f.end]
	default:
		return f, fmt.Errorf("field %d has wire type %d", f.num, f.kind)
	}
	return f, nil
}

// wantBytes returns an error unless the field holds bytes, as all fields do that this
// package reads.
func (f *field) wantBytes() error {
	if f.kind != protoBytes {
		return fmt.Errorf("field %d has wire type %d, want %d", f.num, f.kind, protoBytes)
	}
	return nil
}

// protoScanner reads protobuf from a window.
type protoScanner struct{ w *window }

func (s *protoScanner) syntax(at int64, format string, args ...any) error {
	return &SyntaxError{Offset: at, Reason: fmt.Sprintf(format, args...)}
}

// varint consumes a varint.
func (s *protoScanner) varint() (uint64, error) {
	at := s.w.offset()
	var v uint64
	for i := range binary.MaxVarintLen64 {
		if err := s.w.need(1); err != nil {
			return 0, err
		}
		c := s.w.buf[s.w.pos]
		s.w.pos++
		if i == binary.MaxVarintLen64-1 && c > 1 {
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v, nil
		}
	}
	return 0, s.syntax(at, "varint of more than 64 bits")
}

// size consumes the length of a field, which must end at or before end. If whole is set,
// it must not exceed the limit of a single value.
func (s *protoScanner) size(end int64, whole bool) (int, error) {
	at := s.w.offset()
	v, err := s.varint()
	if err != nil {
		return 0, err
	}
	if v > uint64(end-s.w.offset()) {
		return 0, s.syntax(at, "a field of %d bytes does not fit its message", v)
	}
	if whole && v > uint64(s.w.max) {
		return 0, &TooLargeError{Offset: at, Limit: s.w.max}
	}
	return int(v), nil
}

// magic consumes the prefix of a self-describing object.
func (s *protoScanner) magic() error {
	at := s.w.offset()
	for i := range len(protoMagic) {
		if err := s.w.need(1); err != nil {
			return err
		}
		if s.w.buf[s.w.pos] != protoMagic[i] {
			return s.syntax(at, "no %q at the start: this is not the protobuf of the Kubernetes API", protoMagic)
		}
		s.w.pos++
	}
	return nil
}

// skip consumes the value of a field of the given wire type.
func (s *protoScanner) skip(num, kind int, end int64) error {
	at := s.w.offset()
	n := 0
	switch kind {
	case protoVarint:
		_, err := s.varint()
		return err
	case protoFixed64:
		n = 8
	case protoFixed32:
		n = 4
	case protoBytes:
		var err error
		if n, err = s.size(end, true); err != nil {
			return err
		}
	default:
		return s.syntax(at, "field %d has wire type %d", num, kind)
	}
	if s.w.offset()+int64(n) > end {
		return s.syntax(at, "field %d does not fit its message", num)
	}
	if err := s.w.need(n); err != nil {
		return err
	}
	s.w.pos += n
	return nil
}

// tag consumes the tag of a field.
func (s *protoScanner) tag() (num, kind int, err error) {
	at := s.w.offset()
	v, err := s.varint()
	if err != nil {
		return 0, 0, err
	}
	if v>>3 == 0 || v>>3 > math.MaxInt32 {
		return 0, 0, s.syntax(at, "not a field tag")
	}
	return int(v >> 3), int(v & 7), nil
}

// value consumes a complete field of bytes, and returns it and its offset.
func (s *protoScanner) value(end int64) ([]byte, int64, error) {
	n, err := s.size(end, true)
	if err != nil {
		return nil, 0, err
	}
	if err := s.w.need(n); err != nil {
		return nil, 0, err
	}
	at := s.w.offset()
	s.w.pos += n
	return s.w.slice(span{at, at + int64(n)}), at, nil
}
