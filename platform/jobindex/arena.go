package jobindex

import (
	"encoding/binary"
	"strings"
)

// arena stores immutable byte strings. A reference is the number of a chunk and the offset
// in it. Unreferenced strings stay until the table is copied.
type arena struct {
	chunks []*strings.Builder
	bytes  int64 // capacity
}

// The bits of an offset, and the largest chunk. A chunk is larger only for one string.
const (
	offsetBits = 20
	chunkSize  = 1 << offsetBits
)

// add appends a string, and returns its reference.
func (a *arena) add(b []byte) uint32 {
	n := len(a.chunks)
	if n == 0 || a.chunks[n-1].Cap()-a.chunks[n-1].Len() < len(b) || a.chunks[n-1].Len() >= chunkSize {
		c := new(strings.Builder)
		c.Grow(max(len(b), min(chunkSize, 4096<<min(n, 16))))
		a.chunks, a.bytes = append(a.chunks, c), a.bytes+int64(c.Cap())
		n++
	}
	c := a.chunks[n-1]
	ref := uint32(n-1)<<offsetBits | uint32(c.Len())
	c.Write(b)
	return ref
}

// at returns the text from a reference on. It shares the memory of the arena.
func (a *arena) at(ref uint32) string { return a.chunks[ref>>offsetBits].String()[ref&(chunkSize-1):] }

// uvarint reads a number from a text, and returns the rest of the text.
func uvarint(s string) (n uint64, rest string) {
	for shift := uint(0); len(s) > 0; shift += 7 {
		b := s[0]
		s = s[1:]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			break
		}
	}
	return n, s
}

// varint reads a signed number.
func varint(s string) (n int64, rest string) {
	u, rest := uvarint(s)
	return int64(u>>1) ^ -int64(u&1), rest
}

// appendText appends a text with its length.
func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// text reads a text that appendText has written.
func text(s string) (t, rest string) {
	if n := int(s[0]); n < 0x80 {
		return s[1 : n+1], s[n+1:]
	}
	n, rest := uvarint(s)
	return rest[:n], rest[n:]
}
