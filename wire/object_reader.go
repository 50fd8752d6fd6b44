package wire

// objectReader reads the objects of a stream in JSON or CBOR one after the other, without
// decoding them: it finds the head of each and checks its form.
type objectReader struct {
	head                          head
	object, metadata, annotations group
	annotation                    []byte // the last value of initialEventsEnd
}

// read reads the next value. The window keeps the object contiguous from its mark on, so the
// caller must set the mark at or before it.
func (o *objectReader) read(c cursor) error {
	ok, err := c.begin(&o.head, &o.object)
	if err != nil {
		return err
	}
	if ok {
		err = o.readMembers(c)
	}
	return c.end(&o.head, &o.object, err)
}

func (o *objectReader) readMembers(c cursor) error {
	h := &o.head
	for {
		key, ok, err := c.member(&o.object)
		if err != nil || !ok {
			return err
		}
		switch string(key) {
		case "apiVersion":
			err = c.text(h, "apiVersion", &h.apiVersion)
		case "kind":
			err = c.text(h, "kind", &h.kind)
		case "metadata":
			if h.hasMeta {
				h.fail("it has metadata twice")
			}
			h.hasMeta = true
			err = o.readMetadata(c)
		default:
			err = c.skip()
		}
		if err != nil {
			return err
		}
	}
}

func (o *objectReader) readMetadata(c cursor) error {
	h := &o.head
	if ok, err := c.mapField(h, "metadata", &o.metadata); err != nil || !ok {
		return err
	}
	h.metaLen, h.members = o.metadata.number, o.metadata.left
	for {
		key, ok, err := c.member(&o.metadata)
		if err != nil || !ok {
			h.metaRead = err == nil
			return err
		}
		switch string(key) {
		case "name":
			err = c.text(h, "metadata.name", &h.name)
		case "namespace":
			err = c.text(h, "metadata.namespace", &h.namespace)
		case "uid":
			err = c.text(h, "metadata.uid", &h.uid)
		case "resourceVersion":
			err = c.text(h, "metadata.resourceVersion", &h.version)
		case "annotations":
			err = o.readAnnotations(c)
		case "managedFields":
			err = c.managed(h, &o.metadata)
		default:
			err = c.skip()
		}
		if err != nil {
			return err
		}
	}
}

// readAnnotations looks for the annotation of the bookmark that ends the initial events.
func (o *objectReader) readAnnotations(c cursor) error {
	h := &o.head
	if ok, err := c.mapField(h, "metadata.annotations", &o.annotations); err != nil || !ok {
		return err
	}
	for {
		key, ok, err := c.member(&o.annotations)
		if err != nil || !ok {
			return err
		}
		if string(key) != initialEventsEnd {
			if err := c.skip(); err != nil {
				return err
			}
			continue
		}
		if err := c.text(h, "metadata.annotations", &o.annotation); err != nil {
			return err
		}
		h.endBookmark = string(o.annotation) == "true"
	}
}
