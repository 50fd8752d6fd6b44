package wire

// jsonObject reads one object from the stream, finds its head and checks its grammar.
// The object must come next. The window keeps the object contiguous from its mark on,
// so the caller must set the mark at or before it. If the end of the object is certain,
// a grammar error makes only the object unusable, not the stream.
func (s *jsonScanner) jsonObject(h *head) error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	h.reset(s.w.offset())
	s.w.object = true
	outside := s.open.depth
	if c == '{' {
		err = s.jsonMembers(h)
	} else {
		h.fail("it is not a JSON object: it begins with %q", c)
		err = s.skip()
	}
	if damage, ok := err.(*SyntaxError); ok && !s.torn && s.open.depth > outside {
		h.fail("damaged at byte %d: %s", damage.Offset, damage.Reason)
		err = s.leave(outside)
	}
	h.whole.to = s.w.offset()
	return err
}

// leave consumes the rest of the open brackets, down to depth outside. It checks only
// strings and brackets, which must be intact.
func (s *jsonScanner) leave(outside int) error {
	for s.open.depth > outside {
		c, err := s.peek()
		if err != nil {
			return err
		}
		switch c {
		case '"':
			if _, err := s.skipString(); err != nil && (s.torn || !isSyntax(err)) {
				return err
			}
			continue
		case '{', '[':
			s.open.push(c == '{')
		case '}', ']':
			if s.open.object() != (c == '}') {
				return s.syntax("found %q, which does not match the last open bracket", c)
			}
			s.open.pop()
		default:
			if c < ' ' {
				return s.syntax("control character 0x%02x", c)
			}
		}
		s.w.pos++
	}
	return nil
}

// jsonMembers reads the members of an object.
func (s *jsonScanner) jsonMembers(h *head) error {
	if err := s.enter('{'); err != nil {
		return err
	}
	for n := 0; ; n++ {
		key, _, ok, err := s.member(n)
		if err != nil || !ok {
			return err
		}
		switch string(key) {
		case "apiVersion":
			err = s.stringField(h, "apiVersion", &h.apiVersion)
		case "kind":
			err = s.stringField(h, "kind", &h.kind)
		case "metadata":
			if h.hasMeta {
				h.fail("it has metadata twice")
			}
			h.hasMeta = true
			err = s.jsonMetadata(h)
		default:
			err = s.skip()
		}
		if err != nil {
			return err
		}
	}
}

// stringField reads a string into dst. A value of another type makes the object, but not
// the stream, unusable.
func (s *jsonScanner) stringField(h *head, field string, dst *[]byte) error {
	c, err := s.peek()
	if err != nil {
		return err
	}
	switch c {
	case '"':
		*dst, err = s.str()
		return err
	case 'n':
		*dst = nil
	default:
		h.noString(field, dst)
	}
	return s.skip()
}

// jsonMetadata reads the metadata of an object.
func (s *jsonScanner) jsonMetadata(h *head) error {
	if done, err := s.notObject(h, "metadata"); done || err != nil {
		return err
	}
	if err := s.enter('{'); err != nil {
		return err
	}
	// comma is the offset of the comma before the current member, or of the first member
	// itself. A member is removed together with its comma.
	for n := 0; ; n++ {
		comma := s.w.offset()
		key, at, ok, err := s.member(n)
		if err != nil || !ok {
			h.metaRead = err == nil
			return err
		}
		switch string(key) {
		case "name":
			err = s.stringField(h, "metadata.name", &h.name)
		case "namespace":
			err = s.stringField(h, "metadata.namespace", &h.namespace)
		case "uid":
			err = s.stringField(h, "metadata.uid", &h.uid)
		case "resourceVersion":
			err = s.stringField(h, "metadata.resourceVersion", &h.version)
		case "annotations":
			err = s.jsonAnnotations(h)
		case "managedFields":
			err = s.jsonManaged(h, n, comma, at)
		default:
			err = s.skip()
		}
		if err != nil {
			return err
		}
	}
}

// notObject reports whether the next value is not an object. Then it has consumed the
// value, and marked the head unusable unless the value is null.
func (s *jsonScanner) notObject(h *head, field string) (bool, error) {
	c, err := s.peek()
	if err != nil || c == '{' {
		return false, err
	}
	if c != 'n' {
		h.fail("%s is not an object", field)
	}
	return true, s.skip()
}

// jsonManaged consumes the value of managedFields, which is preceded by n members of the
// metadata. It records the bytes to cut: the member with the comma before it, or with the
// comma after it if no remaining member precedes it.
func (s *jsonScanner) jsonManaged(h *head, n int, comma, at int64) error {
	if err := s.skip(); err != nil {
		return err
	}
	cut := span{from: comma, to: s.w.offset()}
	if n == len(h.managed) {
		cut.from = at
		c, err := s.peek()
		if err != nil {
			return err
		}
		if c == ',' {
			cut.to = s.w.offset() + 1
		}
	}
	h.managed = append(h.managed, cut)
	return nil
}

// jsonAnnotations looks for the annotation of the bookmark that ends the initial events.
func (s *jsonScanner) jsonAnnotations(h *head) error {
	if done, err := s.notObject(h, "metadata.annotations"); done || err != nil {
		return err
	}
	if err := s.enter('{'); err != nil {
		return err
	}
	for n := 0; ; n++ {
		key, _, ok, err := s.member(n)
		if err != nil || !ok {
			return err
		}
		if string(key) != initialEventsEnd {
			if err := s.skip(); err != nil {
				return err
			}
			continue
		}
		var value []byte
		if err := s.stringField(h, "metadata.annotations", &value); err != nil {
			return err
		}
		h.endBookmark = string(value) == "true"
	}
}
