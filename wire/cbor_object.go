package wire

import "errors"

// errEnough ends a walk through the members of a map early.
var errEnough = errors.New("no more is wanted")

// object reads one object off the stream, finds its head and checks its form.
// The object must be next. The window keeps it in one piece from its mark on,
// so the caller sets the mark at or before it.
func (s *cborScanner) object(h *head) error {
	c, _, err := s.value()
	if err != nil {
		return err
	}
	h.reset(c.at) // tags before it are left out
	s.w.object, s.inObject, s.flaw = true, true, nil
	err = s.content(h, c)
	if s.inObject = false; s.flaw != nil {
		h.fail("damaged at byte %d: %s", s.flaw.Offset, s.flaw.Reason)
	}
	h.whole.to = s.w.offset()
	return err
}

// content reads the content of an object after its head.
func (s *cborScanner) content(h *head, c cborHead) error {
	if c.major != cborMap {
		h.fail("it is no map: it begins with %v", c)
		return s.rest(c)
	}
	return s.members(c, func(key []byte, _ int64) error {
		switch string(key) {
		case "apiVersion":
			return s.stringField(h, "apiVersion", &h.apiVersion)
		case "kind":
			return s.stringField(h, "kind", &h.kind)
		case "metadata":
			if h.hasMeta {
				h.fail("it has metadata twice")
			}
			h.hasMeta = true
			return s.metadata(h)
		}
		return s.skip()
	})
}

// members consumes the map whose head was consumed. read consumes the value of
// each key; at is where the key stands.
func (s *cborScanner) members(c cborHead, read func(key []byte, at int64) error) error {
	g := enter(c)
	for {
		more, err := s.more(&g)
		if err != nil || !more {
			return err
		}
		at := s.w.offset()
		key, ok, err := s.key()
		if err == nil && ok {
			err = read(key, at)
		} else if err == nil {
			err = s.skip()
		}
		if err != nil {
			return err
		}
	}
}

// mapField consumes the head of a map. ok is false for anything else, which it
// consumes whole; what is not null either makes the object unusable.
func (s *cborScanner) mapField(h *head, field string) (c cborHead, ok bool, err error) {
	c, _, err = s.value()
	if err != nil || c.major == cborMap {
		return c, err == nil, err
	}
	if !c.isNull() {
		h.fail("%s is no map", field)
	}
	return c, false, s.rest(c)
}

// stringField reads a string into dst. Another type makes the object unusable,
// not the stream; so do bytes that would be another text in JSON.
func (s *cborScanner) stringField(h *head, field string, dst *[]byte) error {
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

// metadata reads the metadata of an object.
func (s *cborScanner) metadata(h *head) error {
	c, ok, err := s.mapField(h, "metadata")
	if err != nil || !ok {
		return err
	}
	if !c.open() {
		h.metaLen = span{c.at, s.w.offset()}
		h.members = c.arg
	}
	err = s.members(c, func(key []byte, at int64) error {
		switch string(key) {
		case "name":
			return s.stringField(h, "metadata.name", &h.name)
		case "namespace":
			return s.stringField(h, "metadata.namespace", &h.namespace)
		case "uid":
			return s.stringField(h, "metadata.uid", &h.uid)
		case "resourceVersion":
			return s.stringField(h, "metadata.resourceVersion", &h.version)
		case "annotations":
			return s.annotations(h)
		case "managedFields":
			err := s.skip()
			h.cutManaged(span{at, s.w.offset()})
			h.members--
			return err
		}
		return s.skip()
	})
	h.metaRead = err == nil
	return err
}

// annotations looks for the mark of the bookmark that ends the initial events.
func (s *cborScanner) annotations(h *head) error {
	c, ok, err := s.mapField(h, "metadata.annotations")
	if err != nil || !ok {
		return err
	}
	return s.members(c, func(key []byte, _ int64) error {
		if string(key) != initialEventsEnd {
			return s.skip()
		}
		var value []byte
		err := s.stringField(h, "metadata.annotations", &value)
		h.endBookmark = string(value) == "true"
		return err
	})
}

// countMetadata writes the number of members that metadata will have without
// managedFields over the old one, in as many bytes: CBOR does not ask for the
// shortest form.
func (h *head) countMetadata(b []byte) {
	if h.metaLen == (span{}) { // of indefinite length
		return
	}
	number := b[h.metaLen.from-h.whole.from : h.metaLen.to-h.whole.from]
	if len(number) == 1 {
		number[0] = cborMap<<5 | byte(h.members)
		return
	}
	for i, v := len(number)-1, h.members; i > 0; i, v = i-1, v>>8 {
		number[i] = byte(v)
	}
}
