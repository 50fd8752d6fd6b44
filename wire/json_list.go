package wire

import (
	"io"
	"strconv"
)

type jsonPhase uint8

const (
	jsonStart jsonPhase = iota
	jsonMembers
	jsonItems
	jsonTail
)

// jsonList reads {"kind":…,"metadata":{…},"items":[…]}. The members may be in any order.
type jsonList struct {
	s     jsonScanner
	opts  Options
	phase jsonPhase
	n     int  // members read
	items int  // items read
	head  head // head of the item
	own   head // head of the list
	lm    rawListMeta
}

func (l *jsonList) meta() (ListMeta, error) {
	return l.lm.meta(&l.own, &l.opts, l.s.w.offset())
}

func (l *jsonList) next() (Record, error) {
	for {
		l.s.w.keep()
		switch l.phase {
		case jsonStart:
			if err := l.s.enter('{'); err != nil {
				return Record{}, err
			}
			l.phase = jsonMembers
		case jsonMembers:
			if err := l.s.w.checked(l.member()); err != nil {
				return Record{}, err
			}
		case jsonItems:
			ok, err := l.s.more(l.items, ']')
			if err != nil {
				return Record{}, err
			}
			if ok {
				return l.item()
			}
			l.phase = jsonMembers
		case jsonTail:
			return Record{}, l.s.tail()
		}
	}
}

// member reads one member of the list. It stops at the first item of items.
func (l *jsonList) member() error {
	defer l.lm.detach(&l.own)
	key, _, ok, err := l.s.member(l.n)
	if err != nil {
		return err
	}
	if !ok {
		l.phase = jsonTail
		return nil
	}
	l.n++
	switch string(key) {
	case "apiVersion":
		return l.s.stringField(&l.own, "apiVersion", &l.own.apiVersion)
	case "kind":
		return l.s.stringField(&l.own, "kind", &l.own.kind)
	case "metadata":
		return l.metadata()
	case "items":
		c, err := l.s.peek()
		if err != nil || c == 'n' {
			return l.s.skip()
		}
		l.phase, l.items = jsonItems, 0
		return l.s.enter('[')
	}
	return l.s.skip()
}

func (l *jsonList) metadata() error {
	if done, err := l.s.notObject(&l.own, "metadata"); done || err != nil {
		return err
	}
	if err := l.s.enter('{'); err != nil {
		return err
	}
	for n := 0; ; n++ {
		key, _, ok, err := l.s.member(n)
		if err != nil || !ok {
			return err
		}
		switch string(key) {
		case "resourceVersion":
			err = l.s.stringField(&l.own, "metadata.resourceVersion", &l.lm.version)
		case "continue":
			err = l.s.stringField(&l.own, "metadata.continue", &l.lm.next)
		case "remainingItemCount":
			err = l.s.intField(&l.lm.remaining)
		default:
			err = l.s.skip()
		}
		if err != nil {
			return err
		}
	}
}

// intField reads an integer into dst. It does not change dst if the value is not an
// integer.
func (s *jsonScanner) intField(dst *int64) error {
	if _, err := s.peek(); err != nil {
		return err
	}
	from := s.w.offset()
	if err := s.skip(); err != nil {
		return err
	}
	if v, err := strconv.ParseInt(string(s.w.slice(span{from, s.w.offset()})), 10, 64); err == nil {
		*dst = v
	}
	return nil
}

func (l *jsonList) item() (Record, error) {
	l.items++
	if _, err := l.s.peek(); err != nil {
		return Record{}, err
	}
	l.s.w.keep()
	if err := l.s.jsonObject(&l.head); err != nil {
		return Record{}, err
	}
	return l.head.record(l.s.w, JSON, &l.opts)
}

// tail reads the white space after the last value. It returns io.EOF at the end.
func (s *jsonScanner) tail() error {
	c, err := s.peek()
	switch {
	case err == nil:
		return s.syntax("found %q after the end", c)
	case err == io.ErrUnexpectedEOF && s.w.err == io.EOF:
		return io.EOF
	}
	return err
}
