package wire

// cborGroup is an array or a map that is being read.
type cborGroup struct {
	left uint64 // elements or pairs
	open bool   // ends with a break
}

// enter returns the group of an array or map whose head was consumed.
func enter(h cborHead) cborGroup { return cborGroup{left: h.arg, open: h.open()} }

// more reports whether the group has another element. At the end of an open group it
// consumes the break.
func (s *cborScanner) more(g *cborGroup) (bool, error) {
	switch {
	case g.open:
		w := s.w
		if err := w.need(1); err != nil {
			return false, err
		}
		if w.buf[w.pos] != cborSimple<<5|cborIndefinite {
			return true, nil
		}
		w.pos++
	case g.left > 0:
		g.left--
		return true, nil
	}
	return false, nil
}

// find moves to the value of the named member of the map g, or to the end of the map if
// there is no such member. ok is false if the map is damaged.
func (s *cborScanner) find(g *cborGroup, name string) (found, ok bool) {
	for {
		more, err := s.more(g)
		if err != nil || !more {
			return false, err == nil
		}
		key, _, err := s.key()
		if err != nil {
			return false, false
		}
		if string(key) == name {
			return true, true
		}
		if s.skip() != nil {
			return false, false
		}
	}
}

// leave moves to the end of the map g after one of its values was consumed. It returns
// false if the map is damaged.
func (s *cborScanner) leave(g *cborGroup) bool {
	for {
		more, err := s.more(g)
		if err != nil || !more {
			return err == nil
		}
		if _, _, err := s.key(); err != nil || s.skip() != nil {
			return false
		}
	}
}
