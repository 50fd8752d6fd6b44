package wire

import (
	"io"
)

// jsonWatch reads a sequence of {"type":…,"object":{…}} frames.
type jsonWatch struct {
	s    jsonScanner
	opts Options
	head head
}

func (j *jsonWatch) next() (Event, error) {
	for {
		if end, err := j.s.w.atEnd(); err != nil {
			return Event{}, err
		} else if end {
			return Event{}, io.EOF
		}
		// White space between frames, usually a line break, must not count as the
		// beginning of a frame: a stream may end after it.
		if c := j.s.w.buf[j.s.w.pos]; c != '\n' && c != ' ' && c != '\r' && c != '\t' {
			break
		}
		j.s.w.pos++
	}
	j.s.w.keep()
	j.s.w.object = true
	at := j.s.w.offset()
	name, hasObject, err := j.frame()
	if err != nil {
		return Event{}, err
	}
	if !hasObject {
		t, _ := eventType(name)
		return Event{}, &InvalidError{Offset: at, Event: t, Reason: "the frame has no object"}
	}
	return j.head.event(name, j.s.w, JSON, &j.opts)
}

// frame reads one complete frame.
func (j *jsonWatch) frame() (name []byte, hasObject bool, err error) {
	if err := j.s.enter('{'); err != nil {
		return nil, false, err
	}
	var envelope head
	for n := 0; ; n++ {
		key, _, ok, err := j.s.member(n)
		if err != nil || !ok {
			if envelope.unusable != "" {
				j.head.fail("%s", envelope.unusable)
			}
			return name, hasObject, err
		}
		switch string(key) {
		case "type":
			err = j.s.stringField(&envelope, "type", &name)
		case "object":
			hasObject = true
			err = j.s.jsonObject(&j.head)
		default:
			err = j.s.skip()
		}
		if err != nil {
			return nil, false, err
		}
	}
}
