package wire

import (
	"sync"
	"sync/atomic"
)

// chunk is a piece of a stream. It is used again once everybody who held a part
// of it has said that he needs it no longer; if somebody does not say so, it is
// the garbage collector's.
type chunk struct {
	buf  []byte       // all of it
	refs atomic.Int32 // the window it is filled by, and the records in it
}

var chunkPool = sync.Pool{New: func() any { return &chunk{buf: make([]byte, fullChunk)} }}

// newChunk returns one that the caller holds.
func newChunk(size int) *chunk {
	var c *chunk
	if size == fullChunk {
		c = chunkPool.Get().(*chunk)
	} else {
		c = &chunk{buf: make([]byte, size)}
	}
	c.refs.Store(1)
	return c
}

// release ends one hold.
func (c *chunk) release() {
	if c == nil || c.refs.Add(-1) != 0 || len(c.buf) != fullChunk {
		return
	}
	if poison { // who still reads it is to notice
		for i := range c.buf {
			c.buf[i] = 0xDB
		}
	}
	chunkPool.Put(c)
}
