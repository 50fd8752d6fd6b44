package wire

// Field numbers of ObjectMeta that the package reads, and of the entries of a map.
const (
	objectMetadata    = 1
	metaName          = 1
	metaNamespace     = 3
	metaUID           = 5
	metaVersion       = 6
	metaLabels        = 11
	metaAnnotations   = 12
	metaManagedFields = 17
	mapKey            = 1
	mapValue          = 2
)

// protoObject reads the head of the object message b, which begins at offset base of the
// stream. Damage makes only the object unusable.
func protoObject(b []byte, base int64, h *head) {
	h.reset(base)
	h.whole.to = base + int64(len(b))
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			h.damaged(base+int64(i), "object", err)
			return
		}
		i = f.end
		if f.num != objectMetadata || f.kind != protoBytes {
			continue
		}
		if h.hasMeta {
			h.fail("it has metadata twice")
			continue
		}
		h.hasMeta = true
		h.metaLen = span{base + int64(f.size), base + int64(f.body)}
		h.metaFrom, h.metaTo = base+int64(f.body), base+int64(f.end)
		h.protoMetadata(f.val)
	}
}

// damaged records the position of damage in an object in protobuf.
func (h *head) damaged(at int64, what string, err error) {
	h.fail("damaged at byte %d: %s: %v", at, what, err)
}

// protoMetadata reads the fields of ObjectMeta.
func (h *head) protoMetadata(b []byte) {
	base := h.metaFrom
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			h.damaged(base+int64(i), "metadata", err)
			return
		}
		i = f.end
		h.metaRead = h.metaRead || f.num > metaNamespace
		if f.kind != protoBytes {
			continue
		}
		switch f.num {
		case metaName:
			h.name = f.val
		case metaNamespace:
			h.namespace = f.val
		case metaUID:
			h.uid = f.val
		case metaVersion:
			h.version = f.val
		case metaAnnotations:
			k, v, err := mapEntry(f.val)
			if err != nil {
				h.damaged(base+int64(f.body), "annotation", err)
			} else if string(k) == initialEventsEnd {
				h.endBookmark = string(v) == "true"
			}
		case metaManagedFields:
			h.cutManaged(span{base + int64(f.from), base + int64(f.end)})
		}
	}
	h.metaRead = true
}

// cutManaged records a range to cut. Adjacent ranges are joined.
func (h *head) cutManaged(s span) {
	if n := len(h.managed); n > 0 && h.managed[n-1].to == s.from {
		h.managed[n-1].to = s.to
		return
	}
	h.managed = append(h.managed, s)
}

// mapEntry reads an entry of a map of strings.
func mapEntry(b []byte) (key, value []byte, err error) {
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			return nil, nil, err
		}
		i = f.end
		if f.kind != protoBytes {
			continue
		}
		switch f.num {
		case mapKey:
			key = f.val
		case mapValue:
			value = f.val
		}
	}
	return key, value, nil
}

// typeMeta reads apiVersion and kind.
func (h *head) typeMeta(b []byte) error {
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			return err
		}
		i = f.end
		if f.kind != protoBytes {
			continue
		}
		switch f.num {
		case typeMetaAPIVersion:
			h.apiVersion = f.val
		case typeMetaKind:
			h.kind = f.val
		}
	}
	return nil
}
