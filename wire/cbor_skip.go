package wire

// rest consumes a value after its head, at any nesting depth.
func (s *cborScanner) rest(h cborHead) error {
	var room [64]byte
	around := outer(room[:0])
	var g elements
	for nested := false; ; nested = true {
		switch h.major {
		case cborBytes, cborText:
			if err := s.skipString(h); err != nil {
				return err
			}
		case cborArray, cborMap:
			if nested {
				around = around.push(g)
			}
			g = elementsOf(h)
		default:
			if err := s.checkSimple(h); err != nil {
				return err
			}
		}
		if len(around) > s.w.max {
			return s.w.tooLarge()
		}
		var more bool
		var err error
		if h, more, err = s.element(&g, &around); err != nil || !more {
			return err
		}
	}
}

// checkSimple returns an error for a number or a simple value that JSON does not have.
func (s *cborScanner) checkSimple(h cborHead) error {
	if h.major != cborSimple {
		return nil
	}
	switch h.info {
	case cborFalse, cborTrue, cborNull, cborFloat16, cborFloat32, cborFloat64:
		return nil
	case cborIndefinite:
		return s.syntax(h.at, "found %v, want a value", h)
	}
	return s.foreign(h, "a value")
}

// element consumes the head of the next element of g or, if g is exhausted, of the
// enclosing containers.
func (s *cborScanner) element(g *elements, around *outer) (h cborHead, more bool, err error) {
	for {
		if more, err = s.another(g); err != nil {
			return h, false, err
		}
		if more {
			break
		}
		if len(*around) == 0 {
			return h, false, nil
		}
		*g = around.pop()
	}
	key := g.pairs && g.left&1 == 0
	if g.left--; g.open {
		g.left &= 1
	}
	if !key {
		h, _, err = s.value()
		return h, true, err
	}
	if h, err = s.head(); err != nil || h.isText() {
		return h, true, err
	}
	h, err = s.oddKey(h)
	return h, true, err
}

// another reports whether g has another element. If not, it consumes the break of g.
func (s *cborScanner) another(g *elements) (bool, error) {
	if !g.open {
		return g.left > 0, nil
	}
	w := s.w
	if err := w.need(1); err != nil {
		return false, err
	}
	if w.buf[w.pos] != cborSimple<<5|cborIndefinite || g.pairs && g.left&1 != 0 {
		return true, nil // or a misplaced break, which is not a value
	}
	w.pos++
	g.open = false
	g.left = 0
	return false, nil
}

// elements counts the remaining elements of an array or a map that is being skipped.
type elements struct {
	left  uint64 // includes keys; if open, only its parity matters
	open  bool   // ends with a break
	pairs bool   // a map: a key comes next if left is even
}

// mostElements exceeds the number of elements of any possible value.
const mostElements = 1 << 60

func elementsOf(h cborHead) elements {
	g := elements{left: min(h.arg, mostElements), open: h.open(), pairs: h.major == cborMap}
	if g.open {
		g.left = 0
	}
	if g.pairs {
		g.left *= 2
	}
	return g
}

// outer is a stack of the containers around the innermost array or map. It takes about as
// many bytes as their heads. It contains no exhausted containers.
type outer []byte

const (
	outerOpen  = 1
	outerPairs = 2
	outerBits  = 2
)

func (o outer) push(g elements) outer {
	if !g.open && g.left == 0 {
		return o
	}
	v := g.left << outerBits
	if g.open {
		v |= outerOpen
	}
	if g.pairs {
		v |= outerPairs
	}
	// Push the lowest seven bits first, so that the last byte shows whether another byte
	// precedes it.
	o = append(o, byte(v&0x7f))
	for v >>= 7; v > 0; v >>= 7 {
		o = append(o, byte(v&0x7f)|0x80)
	}
	return o
}

func (o *outer) pop() elements {
	v := uint64(0)
	for {
		last := len(*o) - 1
		b := (*o)[last]
		*o = (*o)[:last]
		v = v<<7 | uint64(b&0x7f)
		if b < 0x80 {
			break
		}
	}
	return elements{left: v >> outerBits, open: v&outerOpen != 0, pairs: v&outerPairs != 0}
}

// skip consumes one value of any kind.
func (s *cborScanner) skip() error {
	h, _, err := s.value()
	if err != nil {
		return err
	}
	return s.rest(h)
}

// key consumes the key of a pair. ok is false if the key is not a string.
func (s *cborScanner) key() (key []byte, ok bool, err error) {
	h, err := s.head()
	if err != nil {
		return nil, false, err
	}
	if h.isText() {
		key, err = s.str(h)
		return key, true, err
	}
	if h, err = s.oddKey(h); err != nil {
		return nil, false, err
	}
	return nil, false, s.rest(h)
}
