package wire

import (
	"io"
	"iter"
)

// Labels returns the labels of the object, in the order of the wire. It reads them from
// the body and builds no map.
func (r Record) Labels() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		each := func(k, v []byte) bool { return yield(string(k), string(v)) }
		switch r.Encoding {
		case JSON:
			jsonLabels(r.Body, each)
		case Protobuf:
			protoLabels(r.Body, each)
		case CBOR:
			cborLabels(r.Body, each)
		}
	}
}

// Label returns the value of one label, and whether the object has it.
func (r Record) Label(name string) (value string, ok bool) {
	for k, v := range r.Labels() {
		if k == name {
			return v, true
		}
	}
	return "", false
}

// protoLabels reads the labels of a body that was validated when the record was read.
func protoLabels(body []byte, yield func(k, v []byte) bool) {
	for i := 0; i < len(body); {
		f, err := nextField(body, i)
		if err != nil {
			return
		}
		i = f.end
		if f.num != objectMetadata || f.kind != protoBytes {
			continue
		}
		for j := 0; j < len(f.val); {
			m, err := nextField(f.val, j)
			if err != nil {
				return
			}
			j = m.end
			if m.num != metaLabels || m.kind != protoBytes {
				continue
			}
			k, v, err := mapEntry(m.val)
			if err != nil || !yield(k, v) {
				return
			}
		}
	}
}

// jsonLabels reads the labels of a body that was validated when the record was read.
func jsonLabels(body []byte, yield func(k, v []byte) bool) {
	s := jsonCursor{jsonScanner{w: inMemory(body)}}
	if !s.into("metadata") || !s.into("labels") {
		return
	}
	if s.bracket('{') != nil {
		return
	}
	for n := 0; ; n++ {
		k, _, ok, err := s.jsonScanner.member(n)
		if err != nil || !ok {
			return
		}
		var h head
		var v []byte
		if s.text(&h, "label", &v) != nil || !yield(k, v) {
			return
		}
	}
}

// into moves to the value of the named member of the next object, and reports whether
// that value is an object too.
func (s *jsonScanner) into(name string) bool {
	if c, err := s.peek(); err != nil || c != '{' || s.bracket('{') != nil {
		return false
	}
	for n := 0; ; n++ {
		key, _, ok, err := s.member(n)
		if err != nil || !ok {
			return false
		}
		if string(key) == name {
			c, err := s.peek()
			return err == nil && c == '{'
		}
		if s.skip() != nil {
			return false
		}
	}
}

// cborLabels reads the labels of a body that was validated when the record was read.
func cborLabels(body []byte, yield func(k, v []byte) bool) {
	s := cborCursor{cborScanner{w: inMemory(body)}}
	if !s.into("metadata") || !s.into("labels") {
		return
	}
	c, _, err := s.value()
	if err != nil || c.major != cborMap {
		return
	}
	// The error only reports why the iteration ended.
	_ = s.members(c, func(key []byte, _ int64) error {
		var h head
		var v []byte
		if err := s.text(&h, "label", &v); err != nil {
			return err
		}
		if !yield(key, v) {
			return errEnough
		}
		return nil
	})
}

// into moves to the value of the named member of the next map, and reports whether the
// map and the member exist.
func (s *cborScanner) into(name string) bool {
	c, _, err := s.value()
	if err != nil || c.major != cborMap {
		return false
	}
	g := enter(c)
	found, _ := s.find(&g, name)
	return found
}

// inMemory returns a window over bytes that are completely in memory.
func inMemory(b []byte) *window {
	return &window{buf: b, max: len(b) + 1, err: io.EOF}
}
