package wire

// nesting is a stack of the open brackets: one bit each, 1 for an object. It has no
// limit of its own; it takes an eighth of the bytes that the brackets took.
type nesting struct {
	depth int
	first uint64   // the outermost 64 brackets
	rest  []uint64 // the brackets inside those
}

// keptWords is the number of words, with 64 brackets each, whose memory is kept after
// the brackets are closed.
const keptWords = 64

func (n *nesting) word(i int) *uint64 {
	if i < 64 {
		return &n.first
	}
	return &n.rest[i/64-1]
}

// push opens a bracket.
func (n *nesting) push(object bool) {
	i := n.depth
	n.depth++
	if i/64 > len(n.rest) {
		n.rest = append(n.rest, 0)
	}
	word, bit := n.word(i), uint64(1)<<(i%64)
	*word &^= bit
	if object {
		*word |= bit
	}
}

// pop closes the innermost bracket.
func (n *nesting) pop() {
	if n.depth--; n.depth <= 64 && len(n.rest) > keptWords {
		n.rest = nil
	}
}

// object reports whether the innermost bracket opens an object.
func (n *nesting) object() bool {
	i := n.depth - 1
	return *n.word(i)>>(i%64)&1 != 0
}
