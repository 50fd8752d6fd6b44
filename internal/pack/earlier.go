package pack

import "encoding/binary"

// maxLength is the largest length that earlier reads. Longer ones are damaged.
const maxLength = 1 << 16

// earlier reads the steps of an earlier packed body: of the same object, or of another
// sibling. The two usually have the same parts in common with the dictionary and the sibling.
// So the steps show where src probably continues, which is cheaper than a search. They are
// only a hint.
type earlier struct {
	in       []byte // the steps after the next match
	at, n    int    // offset of the next match in the earlier body, and its length; n is 0 after the last match
	distance int    // of that match
	moved    int    // offset in src minus offset in the earlier body, of the same bytes
}

// next goes to the next match. It reads damaged steps without a panic.
func (e *earlier) next() {
	e.at, e.n = e.at+e.n, 0
	for len(e.in) > 0 && e.n == 0 {
		token := e.in[0]
		e.in = e.in[1:]
		literals := e.length(int(token&7), 7)
		e.at += literals
		if token>>7 != 0 {
			e.skip((literals + 1) / 2)
			continue
		}
		e.skip(literals)
		if n := e.length(int(token>>3), 15); n > 0 {
			change, size := binary.Varint(e.in)
			e.skip(max(size, 0))
			e.distance, e.n = e.distance+int(change), n
		}
	}
}

// length returns a length whose field in the token is n, as unpacker.length does. After a
// damaged one, no steps are left.
func (e *earlier) length(n, maximum int) int {
	if n < maximum {
		return n
	}
	more, size := binary.Uvarint(e.in)
	if size <= 0 || more > maxLength {
		e.in = nil
		return 0
	}
	e.in = e.in[size:]
	return n + int(more)
}

func (e *earlier) skip(n int) { e.in = e.in[min(n, len(e.in)):] }
