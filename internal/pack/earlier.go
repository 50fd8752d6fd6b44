package pack

import "encoding/binary"

// maxSkipped is the maximum number of literals before a match that likeEarlier takes from the
// earlier body. Longer parts may have become similar to something else, and are searched.
const maxSkipped = 128

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

// length is unpacker.length.
func (e *earlier) length(n, maximum int) int {
	if n < maximum {
		return n
	}
	more, size := binary.Uvarint(e.in)
	if size <= 0 || more > maxSibling {
		e.in = nil
		return 0
	}
	e.in = e.in[size:]
	return n + int(more)
}

func (e *earlier) skip(n int) { e.in = e.in[min(n, len(e.in)):] }

// likeEarlier returns a match at or after i with which the earlier body continues there, if
// src continues in the same way. n is 0 if it does not.
func (p *packer) likeEarlier(i int) (at, n, distance int) {
	e := &p.earlier
	for e.n > 0 && e.at+e.n+e.moved <= i {
		e.next()
	}
	at = e.at + e.moved
	if e.n == 0 || at < i || at > i+maxSkipped || at+8 > len(p.src) {
		return 0, 0, 0
	}
	distance = e.distance
	if distance > e.at { // the match is outside the earlier body
		distance += e.moved
	}
	if distance <= 0 {
		return 0, 0, 0
	}
	part, from, _ := p.locate(at, distance)
	if from < 0 || from >= len(part) {
		return 0, 0, 0
	}
	return at, match(p.src[at:], part[from:], load64(p.src, at)), distance
}

// alignEarlier finds the last match, which is outside src, in the earlier body.
func (p *packer) alignEarlier() {
	end := p.written - p.distance // in the text
	e := p.earlier
	for range 4 {
		from := e.at - e.distance
		if e.n == 0 {
			return
		}
		if from < 0 && from < end && end <= from+e.n {
			e.moved = p.written - (e.at + end - from)
			p.earlier = e
			return
		}
		e.next()
	}
}
