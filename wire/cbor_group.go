package wire

import "errors"

// errEnough ends the iteration over a map early.
var errEnough = errors.New("the caller stopped the iteration")

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

// members consumes a map after its head. read consumes the value of each key; at is the
// offset of the key.
func (s *cborScanner) members(c cborHead, read func(key []byte, at int64) error) error {
	g := enter(c)
	for {
		more, err := s.more(&g)
		if err != nil || !more {
			return err
		}
		at := s.w.offset()
		key, ok, err := s.key()
		if err == nil && ok {
			err = read(key, at)
		} else if err == nil {
			err = s.skip()
		}
		if err != nil {
			return err
		}
	}
}
