package wire

// walk follows the steps from the next value. onward means that data after the value must be
// read too: then the position is after the value on return; otherwise it is undefined. walk
// reports whether to continue.
func (w *walker) walk(c fieldCursor, steps []step, onward bool) bool {
	v, ok := c.value()
	return ok && w.walkValue(c, v, steps, onward)
}

// walkValue is walk from a value whose beginning was consumed.
func (w *walker) walkValue(c fieldCursor, v fieldValue, steps []step, onward bool) (ok bool) {
	if len(steps) == 0 {
		return c.leaf(v)
	}
	s, rest := &steps[0], steps[1:]
	switch {
	case s.kind == stepMember && v.isMap:
		return w.walkMember(c, v, steps, onward)
	case s.kind == stepMember || !v.isMap && !v.isArray || v.isMap && s.kind != stepEvery:
		return c.rest(v)
	}
	for {
		var more bool
		if v, more, ok = c.next(v); !ok || !more {
			return ok
		}
		if s.kind == stepEvery || c.matches(s) {
			ok = w.walk(c, rest, true)
		} else {
			ok = c.skip()
		}
		if !ok {
			return false
		}
	}
}

func (w *walker) walkMember(c fieldCursor, v fieldValue, steps []step, onward bool) bool {
	v, found, ok := c.find(v, steps[0].name)
	if !ok {
		return false
	}
	if !found {
		return w.absent(len(steps))
	}
	of, ok := c.value()
	switch {
	case !ok:
		return false
	case of.isNull:
		ok = w.absent(len(steps))
	default:
		ok = w.walkValue(c, of, steps[1:], onward)
	}
	return ok && onward && c.rest(v)
}
