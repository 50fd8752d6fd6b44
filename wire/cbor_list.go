package wire

import (
	"io"
	"math"
)

type cborPhase uint8

const (
	cborStart cborPhase = iota
	cborMembers
	cborItems
	cborTail
)

// cborList reads the map {"kind":…,"metadata":{…},"items":[…]}. The members may be in any
// order.
type cborList struct {
	s     cborScanner
	opts  Options
	phase cborPhase
	list  cborGroup // the remaining members of the list
	items cborGroup
	head  head // head of the item
	own   head // head of the list
	lm    rawListMeta
}

func (l *cborList) meta() (ListMeta, error) {
	return l.lm.meta(&l.own, &l.opts, l.s.w.offset())
}

func (l *cborList) next() (Record, error) {
	for {
		l.s.w.keep()
		switch l.phase {
		case cborStart:
			if err := l.start(); err != nil {
				return Record{}, err
			}
			l.phase = cborMembers
		case cborMembers:
			if err := l.s.w.checked(l.member()); err != nil {
				return Record{}, err
			}
		case cborItems:
			more, err := l.s.more(&l.items)
			if err != nil {
				return Record{}, err
			}
			if more {
				return l.item()
			}
			l.phase = cborMembers
		case cborTail:
			end, err := l.s.w.atEnd()
			if err == nil && end {
				err = io.EOF
			} else if err == nil {
				err = l.s.syntax(l.s.w.offset(), "found 0x%02x after the end", l.s.w.buf[l.s.w.pos])
			}
			return Record{}, err
		}
	}
}

func (l *cborList) start() error {
	c, _, err := l.s.value()
	if err != nil {
		return err
	}
	if c.major != cborMap {
		return l.s.syntax(c.at, "found %v, want a map: this is not a list of the Kubernetes API", c)
	}
	l.list = enter(c)
	return nil
}

// member reads one member of the list. It stops at the first item of items.
func (l *cborList) member() error {
	defer l.lm.detach(&l.own)
	more, err := l.s.more(&l.list)
	if err != nil {
		return err
	}
	if !more {
		l.phase = cborTail
		return nil
	}
	key, _, err := l.s.key()
	if err != nil {
		return err
	}
	switch string(key) {
	case "apiVersion":
		return l.s.stringField(&l.own, "apiVersion", &l.own.apiVersion)
	case "kind":
		return l.s.stringField(&l.own, "kind", &l.own.kind)
	case "metadata":
		return l.metadata()
	case "items":
		c, _, err := l.s.value()
		if err != nil || c.isNull() {
			return err
		}
		if c.major != cborArray {
			return l.s.syntax(c.at, "found %v, want an array of items", c)
		}
		l.phase = cborItems
		l.items = enter(c)
		return nil
	}
	return l.s.skip()
}

func (l *cborList) metadata() error {
	c, ok, err := l.s.mapField(&l.own, "metadata")
	if err != nil || !ok {
		return err
	}
	return l.s.members(c, func(key []byte, _ int64) error {
		switch string(key) {
		case "resourceVersion":
			return l.s.stringField(&l.own, "metadata.resourceVersion", &l.lm.version)
		case "continue":
			return l.s.stringField(&l.own, "metadata.continue", &l.lm.next)
		case "remainingItemCount":
			return l.remaining()
		}
		return l.s.skip()
	})
}

func (l *cborList) remaining() error {
	c, _, err := l.s.value()
	if err != nil {
		return err
	}
	if c.major == cborUnsigned && c.arg <= math.MaxInt64 {
		l.lm.remaining = int64(c.arg)
	}
	return l.s.rest(c)
}

func (l *cborList) item() (Record, error) {
	if err := l.s.object(&l.head); err != nil {
		return Record{}, err
	}
	return l.head.record(l.s.w, CBOR, &l.opts)
}
