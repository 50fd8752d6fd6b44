package wire

import (
	"errors"
	"io"
)

// WatchReader reads the events of a watch body while it arrives. It belongs to
// one goroutine.
type WatchReader struct {
	src  watchSource
	done error
	skip int64
}

// NewWatchReader returns a reader of the watch in r. It does not close r. For an unknown
// encoding, the first Next returns an error.
func NewWatchReader(r io.Reader, enc Encoding, opts Options) *WatchReader {
	w := newWindow(r, opts.maxRecord())
	switch enc {
	case JSON:
		return &WatchReader{src: &objectWatch{c: newJSONCursor(w), opts: opts}}
	case Protobuf:
		return &WatchReader{src: &protoWatch{s: protoScanner{w: w}, opts: opts}}
	case CBOR:
		return &WatchReader{src: &objectWatch{c: newCBORCursor(w), opts: opts}}
	}
	return &WatchReader{done: errors.New("cannot read a watch in the encoding " + enc.String())}
}

// Next waits for the next event. It returns io.EOF if the stream ends between two events,
// which is the normal end of a watch.
//
// Errors: *InvalidError for an unusable event, after which Next may be called again for
// the event after it; *SyntaxError, *TooLargeError, io.ErrUnexpectedEOF or the error of
// the reader for a stream that cannot be read further.
func (r *WatchReader) Next() (Event, error) {
	if r.done != nil {
		return Event{}, r.done
	}
	ev, err := r.src.next()
	for ; err == errOutside; ev, err = r.src.next() {
		r.skip++
	}
	if err != nil && !isInvalid(err) {
		r.done = err
	}
	return ev, err
}

// Skipped returns the number of events whose objects were not in Options.UIDs: 0 if the
// server selects. Any progress that they made shows in the next event or bookmark.
func (r *WatchReader) Skipped() int64 { return r.skip }
