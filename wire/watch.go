package wire

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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
		v, err := opts.version(h.version)
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

func quoted(b []byte) string { return fmt.Sprintf("%.80q", b) }
