package wire

import "io"

// cborWatch reads a sequence of {"type":…,"object":{…}} maps (RFC 8742).
type cborWatch struct {
	s    cborScanner
	opts Options
	head head
}

func (c *cborWatch) next() (Event, error) {
	if end, err := c.s.w.atEnd(); err != nil {
		return Event{}, err
	} else if end {
		return Event{}, io.EOF
	}
	c.s.w.keep()
	c.s.w.object = true
	at := c.s.w.offset()
	name, hasObject, err := c.frame()
	if err != nil {
		return Event{}, err
	}
	if !hasObject {
		t, _ := eventType(name)
		return Event{}, &InvalidError{Offset: at, Event: t, Reason: "the frame has no object"}
	}
	return c.head.event(name, c.s.w, CBOR, &c.opts)
}

// frame reads one complete frame.
func (c *cborWatch) frame() (name []byte, hasObject bool, err error) {
	f, _, err := c.s.value()
	if err != nil {
		return nil, false, err
	}
	if f.major != cborMap {
		return nil, false, c.s.syntax(f.at, "found %v, want the map of a watch event", f)
	}
	var envelope head
	err = c.s.members(f, func(key []byte, _ int64) error {
		switch string(key) {
		case "type":
			return c.s.stringField(&envelope, "type", &name)
		case "object":
			hasObject = true
			return c.s.object(&c.head)
		}
		return c.s.skip()
	})
	if envelope.unusable != "" {
		c.head.fail("%s", envelope.unusable)
	}
	return name, hasObject, err
}
