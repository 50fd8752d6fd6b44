package wire

import (
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// Fields of WatchEvent and of the RawExtension in it.
const (
	eventName    = 1
	eventObject  = 2
	extensionRaw = 1
)

// frameHeader is the length of what precedes each frame: its size, big endian.
const frameHeader = 4

// protoWatch reads frames of four bytes length and a WatchEvent message.
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
	size := int64(binary.BigEndian.Uint32(w.buf[w.pos:]))
	w.pos += frameHeader
	w.keep()
	if size > int64(w.max) {
		return Event{}, &TooLargeError{Offset: at, Limit: w.max}
	}
	if err := w.need(int(size)); err != nil {
		return Event{}, err
	}
	from := w.offset()
	w.pos += int(size)
	return p.frame(w.slice(span{from, from + size}), from)
}

// frame reads a WatchEvent that is in memory. Damage to the event itself
// damages the stream; damage to the object in it costs only the object, as the
// frames are told apart without it.
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
	raw, rawAt, err := extension(object, objectAt)
	if err == nil {
		err = p.object(raw, rawAt)
	}
	if err == nil {
		return p.head.event(name, p.s.w, Protobuf, &p.opts)
	}
	var damage *SyntaxError
	if errors.As(err, &damage) {
		return Event{}, &InvalidError{Offset: damage.Offset, Reason: damage.Reason}
	}
	return Event{}, err
}

// extension returns the raw field of a RawExtension.
func extension(b []byte, base int64) (raw []byte, at int64, err error) {
	at = base
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			return nil, 0, &SyntaxError{Offset: base + int64(i), Reason: "object of the event: " + err.Error()}
		}
		i = f.end
		if f.num == extensionRaw && f.kind == protoBytes {
			raw, at = f.val, base+int64(f.body)
		}
	}
	return raw, at, nil
}

// object reads the envelope of an object and the object in it.
func (p *protoWatch) object(b []byte, base int64) error {
	p.head.reset(base)
	if !strings.HasPrefix(string(b[:min(len(b), len(protoMagic))]), protoMagic) {
		return &SyntaxError{Offset: base, Reason: "the event has no object in the protobuf of the Kubernetes API"}
	}
	var typeMeta, raw []byte
	rawAt := base
	for i := len(protoMagic); i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			return &SyntaxError{Offset: base + int64(i), Reason: "envelope of the object: " + err.Error()}
		}
		i = f.end
		switch {
		case f.kind != protoBytes:
		case f.num == unknownTypeMeta:
			typeMeta = f.val
		case f.num == unknownRaw:
			raw, rawAt = f.val, base+int64(f.body)
		case f.num == unknownContentEncoding && len(f.val) > 0:
			return &SyntaxError{Offset: base + int64(f.from), Reason: "unknown content encoding " + quoted(f.val)}
		}
	}
	if err := protoObject(raw, rawAt, &p.head); err != nil {
		return err
	}
	if err := p.head.typeMeta(typeMeta); err != nil {
		return &SyntaxError{Offset: base, Reason: "type of the object: " + err.Error()}
	}
	return nil
}
