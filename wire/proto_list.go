package wire

import (
	"encoding/binary"
	"io"
	"math"
)

// Field numbers of a list message, of its ListMeta, and of ShardInfo.
const (
	listMetadata  = 1
	listItems     = 2
	listVersion   = 2
	listContinue  = 3
	listRemaining = 4
	listShardInfo = 5
	shardSelector = 1
)

type protoPhase uint8

const (
	protoStart protoPhase = iota
	protoEnvelope
	protoMessage
)

// protoList reads "k8s\0" and a runtime.Unknown whose raw field is the list message. It
// reads raw incrementally, so that items are returned while the list is arriving.
type protoList struct {
	s     protoScanner
	opts  Options
	phase protoPhase
	end   int64 // end of the list message
	whole bool  // the list message has been read
	head  head  // head of the item
	own   head  // head of the list
	lm    ListMeta
}

func (l *protoList) meta() (ListMeta, error) { return l.lm, l.own.checkListKind(&l.opts, false) }

func (l *protoList) next() (Record, error) {
	for {
		l.s.w.keep()
		switch l.phase {
		case protoStart:
			if err := l.s.magic(); err != nil {
				return Record{}, err
			}
			l.phase = protoEnvelope
		case protoEnvelope:
			if err := l.envelope(); err != nil {
				return Record{}, err
			}
		case protoMessage:
			if l.s.w.offset() == l.end {
				l.phase, l.whole = protoEnvelope, true
				continue
			}
			rec, found, err := l.message()
			if err != nil || found {
				return rec, err
			}
		}
	}
}

// envelope reads one field of runtime.Unknown, up to the beginning of raw. It returns
// io.EOF at the end of the body.
func (l *protoList) envelope() error {
	end, err := l.s.w.atEnd()
	if err != nil {
		return err
	}
	if end {
		if !l.whole {
			return io.ErrUnexpectedEOF
		}
		return io.EOF
	}
	at := l.s.w.offset()
	num, kind, err := l.s.tag()
	if err != nil {
		return err
	}
	switch {
	case num == unknownRaw && kind == protoBytes:
		if l.whole {
			return l.s.syntax(at, "a second list in the envelope")
		}
		n, err := l.s.size(math.MaxInt64, false)
		if err != nil {
			return err
		}
		l.end = l.s.w.offset() + int64(n)
		if l.end < 0 {
			return l.s.syntax(at, "a list of %d bytes", n)
		}
		l.phase = protoMessage
		return nil
	case num == unknownTypeMeta && kind == protoBytes:
		return l.typeMeta()
	case num == unknownContentEncoding && kind == protoBytes:
		v, _, err := l.s.value(math.MaxInt64)
		if err == nil && len(v) > 0 {
			err = l.s.syntax(at, "unknown content encoding %.40q", v)
		}
		return err
	}
	return l.s.skip(num, kind, math.MaxInt64)
}

func (l *protoList) typeMeta() error {
	v, at, err := l.s.value(math.MaxInt64)
	if err != nil {
		return err
	}
	if err := l.own.typeMeta(v); err != nil {
		return l.s.syntax(at, "type of the list: %v", err)
	}
	l.own.detach()
	return nil
}

// message reads one field of the list message. found reports whether it was an item.
func (l *protoList) message() (rec Record, found bool, err error) {
	num, kind, err := l.s.tag()
	if err != nil {
		return Record{}, false, err
	}
	if kind != protoBytes || num != listItems && num != listMetadata {
		return Record{}, false, l.s.skip(num, kind, l.end)
	}
	if num == listItems {
		rec, err = l.item()
		return rec, true, err
	}
	v, at, err := l.s.value(l.end)
	if err != nil {
		return Record{}, false, err
	}
	return Record{}, false, l.listMeta(v, at)
}

// item reads an item of the list. Its length is known, so nothing in it can damage the
// list.
func (l *protoList) item() (Record, error) {
	n, err := l.s.size(l.end, false)
	if err != nil {
		return Record{}, err
	}
	w := l.s.w
	w.keep()
	w.object = true
	v, at, err := l.s.valueOrPrefix(n)
	if err != nil {
		return Record{}, err
	}
	if len(v) == n {
		protoObject(v, at, &l.head)
	} else {
		l.head.reset(at)
		l.head.readIdentity(v)
		if err := w.skip(uint64(n - len(v))); err != nil {
			return Record{}, err
		}
	}
	return l.head.record(w, Protobuf, &l.opts)
}

func (l *protoList) listMeta(b []byte, base int64) error {
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			return l.s.syntax(base+int64(i), "metadata of the list: %v", err)
		}
		i = f.end
		switch {
		case f.num == listVersion && f.kind == protoBytes:
			if err := l.lm.setVersion(f.val, &l.opts); err != nil {
				return l.s.syntax(base+int64(f.body), "the list's %v", err)
			}
		case f.num == listContinue && f.kind == protoBytes:
			l.lm.Continue = string(f.val)
		case f.num == listRemaining && f.kind == protoVarint:
			l.lm.Remaining = lastVarint(b[f.from:f.end])
		case f.num == listShardInfo && f.kind == protoBytes:
			if err := l.shardInfo(f.val, base+int64(f.body)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *protoList) shardInfo(b []byte, base int64) error {
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			return l.s.syntax(base+int64(i), "shardInfo of the list: %v", err)
		}
		if i = f.end; f.num == shardSelector && f.kind == protoBytes {
			l.lm.ShardSelector = string(f.val)
		}
	}
	return nil
}

// lastVarint returns the value of a field that is a tag and a varint.
func lastVarint(b []byte) int64 {
	_, n := binary.Uvarint(b)
	v, _ := binary.Uvarint(b[n:])
	return int64(v)
}
