package wire

import (
	"sync"
	"sync/atomic"
)

const (
	// firstChunk is small, because most watches are idle and a process may hold hundreds
	// of them.
	firstChunk = 4 << 10
	// fullChunk is the maximum size of a chunk, except for larger records. It is large
	// enough that few records are split, and small enough that a retained record keeps
	// little memory.
	fullChunk = 64 << 10
)

// chunk is a part of a stream. Its memory is reused when all references are released. If
// a holder does not release its reference, the garbage collector frees the chunk.
type chunk struct {
	buf  []byte       // the whole chunk
	refs atomic.Int32 // references of the window that fills it and of the records in it
}

// chunkPools hold released chunks by size: fullChunk, and each further pool twice the
// size of the previous one, for larger records.
var chunkPools [5]sync.Pool

// pooled returns the index of the pool for chunks of at least size bytes, and the size of
// its chunks. The index is -1 if such chunks are not reused.
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

// newChunk returns a chunk of at least size bytes with one reference, which the caller
// owns.
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

// release drops one reference.
func (c *chunk) release() {
	if c == nil || c.refs.Add(-1) != 0 {
		return
	}
	if poison { // make illegal reads visible
		for i := range c.buf {
			c.buf[i] = 0xDB
		}
	}
	if pool, _ := pooled(len(c.buf)); pool >= 0 {
		chunkPools[pool].Put(c)
	}
}
