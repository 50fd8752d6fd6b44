package wire

import (
	"bytes"
	"errors"
	"io"
	"math"
)

const (
	// minRead is the free space below which the window allocates a new chunk instead of
	// doing another small read.
	minRead = 512
	// maxEmptyReads bounds readers that return neither bytes nor an error.
	maxEmptyReads = 100
	// maxToken is the length of the longest name or text that is reported for a value
	// that is too large to be kept.
	maxToken = 4 << 10
	// maxPassed is the factor of MaxRecord beyond which an oversized object counts as
	// damage of the stream.
	maxPassed = 8
)

// noToken is the offset of a token while none is being read.
const noToken = math.MaxInt64

// span is a range of stream offsets, [from, to).
type span struct{ from, to int64 }

// window is the part of a stream that is in memory: from mark, the start of the value
// being read, to the last byte that has arrived. A chunk is written once, and is not
// overwritten before all references to it are released, so slices of it stay valid after
// the window has moved on.
//
// An object that exceeds the limit is read to its end, but not kept: beyond the limit,
// the window holds one chunk that it overwrites repeatedly, with the token that is
// being read.
type window struct {
	r    io.Reader
	held *chunk   // the chunk that contains buf
	left []*chunk // earlier chunks with parts of the value being read
	buf  []byte
	pos  int   // next byte to parse, index in buf
	mark int   // start of the value that must stay contiguous, index in buf
	base int64 // stream offset of buf[0]
	max  int   // largest value, in bytes
	err  error // sticky: the error of the reader or of the limit

	start   int64 // stream offset of the value being read
	token   int64 // stream offset of the token being read, or noToken
	object  bool  // the value contains an object: if it is too large, only the object is unusable
	passing bool  // the value is too large: its first bytes are no longer in memory
}

func newWindow(r io.Reader, limit int) *window {
	return &window{r: r, max: limit, token: noToken}
}

// offset returns the stream offset of the next byte to parse.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// keep starts a new value at the current position. Slices of the previous value become
// invalid, except those in a record.
func (w *window) keep() {
	w.mark, w.start = w.pos, w.offset()
	w.object, w.passing = false, false
	for i, c := range w.left {
		c.release()
		w.left[i] = nil
	}
	w.left = w.left[:0]
}

// slice returns the bytes of s, which must be after the mark.
func (w *window) slice(s span) []byte {
	from, to := int(s.from-w.base), int(s.to-w.base)
	return w.buf[from:to:to]
}

// over reports whether the part of the value that was read exceeds the limit. The
// result does not depend on how the bytes arrived.
func (w *window) over() bool { return w.offset()-w.start > int64(w.max) }

// text returns the token s, which was read last. If the value exceeds the limit, text
// returns a copy, or nil if the token is too long.
func (w *window) text(s span) []byte {
	switch {
	case !w.over():
		return w.slice(s)
	case s.to-s.from > maxToken:
		return nil
	}
	return bytes.Clone(w.slice(s))
}

// checked returns err, or an error if a value that cannot be skipped exceeds the limit.
// Damage beyond the limit counts as exceeding it: if the bytes had arrived one by one,
// the limit would have ended the value earlier.
func (w *window) checked(err error) error {
	read := w.offset() - w.start
	var damage *SyntaxError
	if errors.As(err, &damage) && damage.Offset == w.offset() {
		read++ // the invalid byte was read but not consumed
	}
	if (err == nil || damage != nil) && read > int64(w.max) {
		return w.tooLarge()
	}
	return err
}

func (w *window) tooLarge() error {
	return &TooLargeError{Offset: w.start, Limit: w.max}
}

// fill reads at least one more byte, or returns the error that ends the stream.
func (w *window) fill() error {
	if w.err != nil {
		return w.err
	}
	switch {
	case w.passing || w.object && len(w.buf)-w.mark >= w.max:
		w.pass()
	case len(w.buf)-w.mark >= w.max:
		w.err = w.tooLarge()
	case cap(w.buf)-len(w.buf) < minRead:
		w.grow()
	}
	if w.err != nil {
		return w.err
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

// grow moves the value that is arriving into a new chunk. The size depends on the bytes
// that have arrived, never on a length field. A watch that got little so far waits with a
// small chunk.
func (w *window) grow() {
	held := w.buf[w.mark:]
	size := max(min(2*cap(w.buf), int(min(w.offset()/4, fullChunk))), firstChunk, 2*len(held))
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

// pass makes room for more of an oversized value by dropping all of it except the token
// that is being read.
func (w *window) pass() {
	if w.offset()-w.start > maxPassed*int64(w.max) {
		w.err = w.tooLarge()
		return
	}
	from := w.pos
	if at := w.token - w.base; at >= 0 && at < int64(from) && from-int(at) <= maxToken {
		from = int(at)
	}
	into := w.buf[:cap(w.buf)]
	if !w.passing { // records alias the old chunk, but nothing aliases this one
		w.passing = true
		w.left = append(w.left, w.held)
		w.held = newChunk(fullChunk)
		into = w.held.buf
	} else if cap(w.buf)-len(w.buf) >= minRead {
		return
	}
	w.buf = into[:copy(into, w.buf[from:])]
	w.base += int64(from)
	w.pos -= from
	w.mark = 0
}

// skip consumes n bytes. It checks n against the limits before it reads anything.
func (w *window) skip(n uint64) error {
	most := uint64(w.max)
	if w.object {
		most *= maxPassed
	}
	if read := uint64(w.offset() - w.start); n > most || read+n > most {
		return w.tooLarge()
	}
	for left := int(n); ; {
		here := min(left, len(w.buf)-w.pos)
		w.pos += here
		if left -= here; left == 0 {
			return nil
		}
		if err := w.fill(); err != nil {
			return midValue(err)
		}
	}
}

// need makes n bytes available after the current position. It checks n against the limit
// before it reads anything, so a length field alone allocates nothing.
func (w *window) need(n int) error {
	if !w.object && w.pos+n-w.mark > w.max {
		return w.tooLarge()
	}
	for len(w.buf)-w.pos < n {
		if err := w.fill(); err != nil {
			return midValue(err)
		}
	}
	return nil
}

// atEnd reports whether the stream ends here. It reads from the stream if needed.
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

// midValue turns a normal end into the error for a truncated stream.
func midValue(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
