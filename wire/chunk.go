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

// chunkPools hold what is used again, by size: fullChunk, and twice as much each,
// for records that are larger than one.
var chunkPools [5]sync.Pool

// pooled returns the index of the pool for chunks of at least size bytes, -1 if
// they are not used again, and the size they have.
func pooled(size int) (pool, of int) {
	if size < fullChunk {
		return -1, size
	}
	for i := range chunkPools {
		if of = fullChunk << i; size <= of {
			return i, of
		}
	}
	return -1, size
}

// newChunk returns one of at least size bytes that the caller holds.
func newChunk(size int) *chunk {
	pool, size := pooled(size)
	var c *chunk
	if pool >= 0 {
		c, _ = chunkPools[pool].Get().(*chunk)
	}
	if c == nil {
		c = &chunk{buf: make([]byte, size)}
	}
	c.refs.Store(1)
	return c
}

// release ends one hold.
func (c *chunk) release() {
	if c == nil || c.refs.Add(-1) != 0 {
		return
	}
	if poison { // who still reads it is to notice
		for i := range c.buf {
			c.buf[i] = 0xDB
		}
	}
	if pool, _ := pooled(len(c.buf)); pool >= 0 {
		chunkPools[pool].Put(c)
	}
}
