package wire

import (
	"encoding/binary"
	"io"
	"strings"
)

// Field numbers of WatchEvent and of its RawExtension.
const (
	eventName    = 1
	eventObject  = 2
	extensionRaw = 1
)

// frameHeader is the length of what precedes each frame: its size, big endian.
const frameHeader = 4

// protoWatch reads frames of a four-byte length and a WatchEvent message.
type protoWatch struct {
	s    protoScanner
	opts Options
	head head
}

func (p *protoWatch) next() (Event, error) {
	if end, err := p.s.w.atEnd(); err != nil {
		return Event{}, err
	} else if end {
		return Event{}, io.EOF
	}
	w := p.s.w
	w.keep()
	at := w.offset()
	if err := w.need(frameHeader); err != nil {
		return Event{}, err
	}
	size := int(binary.BigEndian.Uint32(w.buf[w.pos:]))
	w.pos += frameHeader
	w.keep()
	w.object = true
	if size > maxPassed*w.max {
		return Event{}, &TooLargeError{Offset: at, Limit: w.max}
	}
	b, from, err := p.s.valueOrPrefix(size)
	if err != nil {
		return Event{}, err
	}
	if len(b) == size {
		return p.frame(b, from)
	}
	p.head.reset(from)
	name := p.head.readEventIdentity(b)
	if err := w.skip(uint64(size - len(b))); err != nil {
		return Event{}, err
	}
	return p.head.event(name, w, Protobuf, &p.opts)
}

// frame reads a WatchEvent that is in memory. Damage to the event itself damages the
// stream. Damage to the object makes only the object unusable, because frames are
// delimited by their lengths.
func (p *protoWatch) frame(b []byte, base int64) (Event, error) {
	var name, object []byte
	objectAt := base
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			return Event{}, p.s.syntax(base+int64(i), "watch event: %v", err)
		}
		i = f.end
		if f.num != eventName && f.num != eventObject {
			continue
		}
		if err := f.wantBytes(); err != nil {
			return Event{}, p.s.syntax(base+int64(f.from), "watch event: %v", err)
		}
		if f.num == eventName {
			name = f.val
			continue
		}
		object, objectAt = f.val, base+int64(f.body)
	}
	p.object(object, objectAt)
	return p.head.event(name, p.s.w, Protobuf, &p.opts)
}

// object reads the object of an event: a RawExtension that contains the envelope, which
// contains the object.
func (p *protoWatch) object(b []byte, base int64) {
	h := &p.head
	h.reset(base)
	raw, at := b[:0], base
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			h.damaged(base+int64(i), "object of the event", err)
			return
		}
		i = f.end
		if f.num == extensionRaw && f.kind == protoBytes {
			raw, at = f.val, base+int64(f.body)
		}
	}
	p.envelope(raw, at)
}

func (p *protoWatch) envelope(b []byte, base int64) {
	h := &p.head
	h.reset(base)
	if !strings.HasPrefix(string(b[:min(len(b), len(protoMagic))]), protoMagic) {
		h.fail("the event has no object in the protobuf of the Kubernetes API")
		return
	}
	var typeMeta, raw, encoding []byte
	rawAt := base
	var damage error
	at := int64(0)
	for i := len(protoMagic); i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			damage, at = err, base+int64(i)
			break
		}
		i = f.end
		switch {
		case f.kind != protoBytes:
		case f.num == unknownTypeMeta:
			typeMeta = f.val
		case f.num == unknownRaw:
			raw, rawAt = f.val, base+int64(f.body)
		case f.num == unknownContentEncoding:
			encoding = f.val
		}
	}
	protoObject(raw, rawAt, h)
	if damage != nil {
		h.damaged(at, "envelope of the object", damage)
	}
	if len(encoding) > 0 {
		h.fail("unknown content encoding %s", quoted(encoding))
	}
	if err := h.typeMeta(typeMeta); err != nil {
		h.damaged(base, "type of the object", err)
	}
}

// readEventIdentity reads the identity of an object from the start of its event, and returns
// the type of the event.
func (h *head) readEventIdentity(b []byte) []byte {
	name, whole := startOf(b, eventName)
	if !whole {
		name = nil
	}
	object, _ := startOf(b, eventObject)
	raw, _ := startOf(object, extensionRaw)
	if len(raw) > len(protoMagic) {
		object, _ = startOf(raw[len(protoMagic):], unknownRaw)
		h.readIdentity(object)
	}
	return name
}
