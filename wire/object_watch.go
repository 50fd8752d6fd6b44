package wire

import "io"

// objectWatch reads a sequence of {"type":…,"object":{…}} in JSON or CBOR (RFC 8742).
type objectWatch struct {
	c      cursor
	opts   Options
	object objectReader
	frame  group
	name   []byte // the type of the event
	own    head   // of the frame
}

func (o *objectWatch) next() (Event, error) {
	if end, err := o.c.frame(); err != nil {
		return Event{}, err
	} else if end {
		return Event{}, io.EOF
	}
	w := o.c.window()
	w.keep()
	w.object = true
	at := w.offset()
	hasObject, err := o.read()
	if err != nil {
		return Event{}, err
	}
	if !hasObject {
		t, _ := eventType(o.name)
		return Event{}, &InvalidError{Offset: at, Event: t, Reason: "the frame has no object"}
	}
	return o.object.head.event(o.name, w, o.c.encoding(), &o.opts)
}

// read reads one complete frame.
func (o *objectWatch) read() (hasObject bool, err error) {
	if err := o.c.enter(&o.frame, "the map of a watch event"); err != nil {
		return false, err
	}
	o.name, o.own.unusable = nil, ""
	for {
		key, ok, err := o.c.member(&o.frame)
		if err != nil {
			return false, err
		}
		if !ok {
			if o.own.unusable != "" {
				o.object.head.fail("%s", o.own.unusable)
			}
			return hasObject, nil
		}
		switch string(key) {
		case "type":
			err = o.c.text(&o.own, "type", &o.name)
		case "object":
			hasObject = true
			err = o.object.read(o.c)
		default:
			err = o.c.skip()
		}
		if err != nil {
			return false, err
		}
	}
}
