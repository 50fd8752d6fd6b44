package wire

import "errors"

// errEnough ends the iteration over a map early.
var errEnough = errors.New("the caller stopped the iteration")

// object reads one object from the stream, reads its head and validates its form. The
// object must come next. The window keeps the object contiguous from its mark on, so the
// caller must set the mark at or before it.
func (s *cborScanner) object(h *head) error {
	c, _, err := s.value()
	if err != nil {
		return err
	}
	h.reset(c.at) // tags before it are not part of the object
	s.w.object, s.inObject, s.flaw = true, true, nil
	err = s.content(h, c)
	if s.inObject = false; s.flaw != nil {
		h.fail("damaged at byte %d: %s", s.flaw.Offset, s.flaw.Reason)
	}
	h.whole.to = s.w.offset()
	return err
}

// content reads the members of an object.
func (s *cborScanner) content(h *head, c cborHead) error {
	if c.major != cborMap {
		h.fail("it is not a map: it begins with %v", c)
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

// members consumes a map after its head. read consumes the value of each key; at is the
// offset of the key.
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

// mapField consumes the head of a map. ok is false for any other value, which it consumes
// completely. A value other than null makes the object unusable.
func (s *cborScanner) mapField(h *head, field string) (c cborHead, ok bool, err error) {
	c, _, err = s.value()
	if err != nil || c.major == cborMap {
		return c, err == nil, err
	}
	if !c.isNull() {
		h.fail("%s is not a map", field)
	}
	return c, false, s.rest(c)
}

// stringField reads a string into dst. A value of another type makes the object, but not
// the stream, unusable. So do tagged bytes, whose JSON form is a different text.
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

// annotations looks for the annotation of the bookmark that ends the initial events.
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
