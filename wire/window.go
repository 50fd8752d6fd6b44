package wire

import (
	"io"
)

const (
	// firstChunk is small, because most watches are quiet and a process may
	// hold hundreds of them.
	firstChunk = 4 << 10
	// fullChunk is where chunks stop growing: large enough that few records
	// are split, small enough that a record which is held pins little.
	fullChunk = 64 << 10
	// minRead is the free space below which a new chunk is worth more than
	// another small read.
	minRead = 512
	// maxEmptyReads bounds readers that return neither bytes nor an error.
	maxEmptyReads = 100
)

// span is a range of stream offsets, [from, to).
type span struct{ from, to int64 }

// window is the part of a stream that is in memory: everything from mark, the
// start of the value being read, to what has arrived. A chunk is written once, and
// not again before everybody has released it, so slices of it stay valid after the
// window has moved on.
type window struct {
	r    io.Reader
	held *chunk   // the one that buf is of
	left []*chunk // those that the value being read began in, which is still known by its parts
	buf  []byte
	pos  int   // next byte to parse, index in buf
	mark int   // start of the value that must stay in one piece, index in buf
	base int64 // stream offset of buf[0]
	max  int   // largest value, in bytes
	err  error // sticky: what the reader or the limit said
}

func newWindow(r io.Reader, limit int) *window {
	return &window{r: r, max: limit}
}

// offset returns the stream offset of the next byte to parse.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// keep starts a new value at the current position. Slices of the one before it
// are valid no longer, but for those that a record has.
func (w *window) keep() {
	w.mark = w.pos
	for i, c := range w.left {
		c.release()
		w.left[i] = nil
	}
	w.left = w.left[:0]
}

// slice returns the bytes of s, which must lie behind the mark.
func (w *window) slice(s span) []byte {
	from, to := int(s.from-w.base), int(s.to-w.base)
	return w.buf[from:to:to]
}

// fill reads at least one more byte, or returns the error that ends the stream.
func (w *window) fill() error {
	if w.err != nil {
		return w.err
	}
	if len(w.buf)-w.mark >= w.max {
		w.err = &TooLargeError{Offset: w.base + int64(w.mark), Limit: w.max}
		return w.err
	}
	if cap(w.buf)-len(w.buf) < minRead {
		w.grow()
	}
	for range maxEmptyReads {
		n, err := w.r.Read(w.buf[len(w.buf):cap(w.buf)])
		w.buf = w.buf[:len(w.buf)+n]
		if err != nil {
			w.err = err
		}
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	w.err = io.ErrNoProgress
	return w.err
}

// grow moves the value that is arriving into a new chunk. The size follows
// what has arrived, never what a length field claims.
func (w *window) grow() {
	held := w.buf[w.mark:]
	size := max(min(max(2*cap(w.buf), firstChunk), fullChunk), 2*len(held))
	if size-len(held) < minRead {
		size += minRead
	}
	into := newChunk(size)
	next := into.buf[:copy(into.buf, held)]
	if w.held != nil {
		w.left = append(w.left, w.held)
	}
	w.held = into
	w.base += int64(w.mark)
	w.pos -= w.mark
	w.mark = 0
	w.buf = next
}

// need makes n bytes available behind the current position. n counts against
// the limit before anything is read, so a claimed length allocates nothing.
func (w *window) need(n int) error {
	if w.pos+n-w.mark > w.max {
		return &TooLargeError{Offset: w.base + int64(w.mark), Limit: w.max}
	}
	for len(w.buf)-w.pos < n {
		if err := w.fill(); err != nil {
			return midValue(err)
		}
	}
	return nil
}

// atEnd reports whether the stream ends here. It reads if it has to.
func (w *window) atEnd() (bool, error) {
	if w.pos < len(w.buf) {
		return false, nil
	}
	w.keep()
	err := w.fill()
	if err == io.EOF {
		return true, nil
	}
	return false, err
}

// midValue turns a clean end into the end of a stream that was cut.
func midValue(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
