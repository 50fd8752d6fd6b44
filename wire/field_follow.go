package wire

// follow emits the values to which the steps lead from the next value. onward means that data
// after the value must be read too: then the position is after the value on return; otherwise
// it is undefined. follow reports whether to continue.
func (w *walker) follow(c fieldCursor, steps []step, onward bool) bool {
	v, ok := c.value()
	return ok && w.followValue(c, v, steps, onward)
}

// followValue is follow for a value whose beginning was consumed.
func (w *walker) followValue(c fieldCursor, v fieldValue, steps []step, onward bool) (ok bool) {
	if len(steps) == 0 {
		return c.leaf(v)
	}
	s, rest := &steps[0], steps[1:]
	switch {
	case s.kind == stepMember && v.isMap:
		return w.followMember(c, v, steps, onward)
	case s.kind == stepMember || !v.isMap && !v.isArray || v.isMap && s.kind != stepEvery:
		return c.rest(v)
	}
	for {
		var more bool
		if v, more, ok = c.next(v); !ok || !more {
			return ok
		}
		if s.kind == stepEvery || c.matches(s) {
			ok = w.follow(c, rest, true)
		} else {
			ok = c.skip()
		}
		if !ok {
			return false
		}
	}
}

func (w *walker) followMember(c fieldCursor, v fieldValue, steps []step, onward bool) bool {
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
		ok = w.followValue(c, of, steps[1:], onward)
	}
	return ok && onward && c.rest(v)
}
