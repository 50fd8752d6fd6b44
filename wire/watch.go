package wire

import (
	"errors"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EventType is the type of a watch event.
type EventType uint8

// The types of watch events, as the API names them.
const (
	Added EventType = iota + 1
	Modified
	Deleted
	// Bookmark has only a version: all events up to it have been sent.
	Bookmark
	// Error ends a watch. It has a Status.
	Error
)

// String returns the type in the form of the API: "ADDED", "MODIFIED", ….
func (t EventType) String() string {
	switch t {
	case Added:
		return "ADDED"
	case Modified:
		return "MODIFIED"
	case Deleted:
		return "DELETED"
	case Bookmark:
		return "BOOKMARK"
	case Error:
		return "ERROR"
	}
	return "unknown"
}

func eventType(name []byte) (EventType, bool) {
	switch string(name) {
	case "ADDED":
		return Added, true
	case "MODIFIED":
		return Modified, true
	case "DELETED":
		return Deleted, true
	case "BOOKMARK":
		return Bookmark, true
	case "ERROR":
		return Error, true
	}
	return 0, false
}

// Event is one frame of a watch.
type Event struct {
	Type EventType
	// Record is the object: its new state for Added and Modified; its last state, with
	// the version of the deletion, for Deleted. For a Bookmark only Version is set.
	Record Record
	// InitialEventsEnd is true for the bookmark that ends the initial events of a
	// streaming list (KEP-3157).
	InitialEventsEnd bool
	// Status is the reported status. It is set only for Error.
	Status *metav1.Status
}

// watchSource is the part of a WatchReader that depends on the encoding.
type watchSource interface {
	next() (Event, error)
}

// WatchReader reads the events of a watch body while it arrives. It belongs to
// one goroutine.
type WatchReader struct {
	src  watchSource
	done error
}

// NewWatchReader returns a reader of the watch in r. It does not close r. For an unknown
// encoding, the first Next returns an error.
func NewWatchReader(r io.Reader, enc Encoding, opts Options) *WatchReader {
	w := newWindow(r, opts.maxRecord())
	switch enc {
	case JSON:
		return &WatchReader{src: &jsonWatch{s: jsonScanner{w: w}, opts: opts}}
	case Protobuf:
		return &WatchReader{src: &protoWatch{s: protoScanner{w: w}, opts: opts}}
	case CBOR:
		return &WatchReader{src: &cborWatch{s: cborScanner{w: w}, opts: opts}}
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
	if err != nil && !isInvalid(err) {
		r.done = err
	}
	return ev, err
}

// event returns an event of a type with the object that was scanned last.
func (h *head) event(name []byte, w *window, enc Encoding, opts *Options) (Event, error) {
	t, known := eventType(name)
	h.eventType = t
	h.checkSize(w)
	if !known && h.unusable != "" {
		return Event{}, h.invalid(h.unusable)
	}
	if !known {
		return Event{}, h.invalid("unknown event type " + quoted(name))
	}
	switch t {
	case Error:
		return h.errorEvent(w, enc)
	case Bookmark:
		if h.unusable != "" {
			return Event{}, h.invalid(h.unusable)
		}
		if err := h.checkKind(opts); err != nil {
			return Event{}, err
		}
		v, err := parseVersion(h.version)
		if err != nil {
			return Event{}, h.invalid("bookmark: " + err.Error())
		}
		return Event{Type: t, Record: Record{Version: v, Encoding: enc}, InitialEventsEnd: h.endBookmark}, nil
	}
	rec, err := h.record(w, enc, opts)
	if err != nil {
		return Event{}, err
	}
	return Event{Type: t, Record: rec}, nil
}

// errorEvent decodes the Status of an ERROR event.
func (h *head) errorEvent(w *window, enc Encoding) (Event, error) {
	if h.unusable != "" {
		return Event{}, h.invalid(h.unusable)
	}
	if k := string(h.kind); k != "" && k != "Status" {
		return Event{}, h.invalid("ERROR event with a " + quoted(h.kind) + ", want a Status")
	}
	status := &metav1.Status{}
	if err := decodeStatus(enc, w.slice(h.whole), status); err != nil {
		return Event{}, h.invalid("ERROR event: " + err.Error())
	}
	return Event{Type: Error, Status: status}, nil
}
