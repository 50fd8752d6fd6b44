package wire

import "math"

// identityBytes is how much of an oversized value is searched for its name, which is at
// the start.
const identityBytes = 64 << 10

// valueOrPrefix consumes a value of n bytes. It returns the value, or the start of a value
// that is too large, and the offset at which it begins.
func (s *protoScanner) valueOrPrefix(n int) ([]byte, int64, error) {
	w := s.w
	if n > w.max {
		if n > maxPassed*w.max {
			return nil, 0, w.tooLarge()
		}
		n = min(n, w.max, identityBytes)
	}
	if err := w.need(n); err != nil {
		return nil, 0, err
	}
	at := w.offset()
	w.pos += n
	return w.slice(span{at, at + int64(n)}), at, nil
}

// readIdentity reads the identity of an object from the start of its message.
func (h *head) readIdentity(b []byte) {
	meta, _ := startOf(b, objectMetadata)
	for i := 0; i < len(meta); {
		f, err := nextField(meta, i)
		if err != nil {
			return
		}
		h.metaRead = h.metaRead || f.num > metaNamespace
		switch i = f.end; f.num {
		case metaName:
			h.name = f.val
		case metaNamespace:
			h.namespace = f.val
		case metaUID:
			h.uid = f.val
		case metaVersion:
			h.version = f.val
		}
	}
}

// startOf returns the available bytes of the first bytes field with the given number,
// in a truncated message. whole reports whether the field is complete.
func startOf(b []byte, num int) (val []byte, whole bool) {
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err == nil {
			if f.num == num && f.kind == protoBytes {
				return f.val, true
			}
			i = f.end
			continue
		}
		tag, at := varint(b, i)
		if at < 0 || tag != uint64(num)<<3|protoBytes {
			return nil, false
		}
		if n, at := varint(b, at); at >= 0 && n <= math.MaxInt32 {
			return b[at:], false
		}
		return nil, false
	}
	return nil, false
}
