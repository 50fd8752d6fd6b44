package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WriteTime is how long a client may take to accept one write of a stream.
const WriteTime = 10 * time.Second

// Events writes server-sent events. One goroutine uses it.
type Events struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
}

// NewEvents begins a stream of server-sent events. It removes the server's time limits for the
// whole request; each write has its own.
//
// Errors: the client has disconnected.
func NewEvents(w http.ResponseWriter) (*Events, error) {
	e := &Events{w: w, ctrl: http.NewResponseController(w)}
	if err := e.ctrl.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would buffer events
	w.WriteHeader(http.StatusOK)
	return e, e.Write([]byte(": the stream begins\n\n"))
}

// Write writes encoded events, and waits until the client has accepted them, at most WriteTime.
//
// Errors: the client has disconnected or is too slow. The stream cannot be used afterwards.
func (e *Events) Write(frames ...[]byte) error {
	if err := e.ctrl.SetWriteDeadline(time.Now().Add(WriteTime)); err != nil {
		return err
	}
	for _, f := range frames {
		if _, err := e.w.Write(f); err != nil {
			return err
		}
	}
	return e.ctrl.Flush()
}

// Send writes one event with the JSON of data. id may be empty.
//
// Errors: those of Write; data that cannot be encoded as JSON.
func (e *Events) Send(event, id string, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return e.Write(Frame(event, id, b))
}

// Frame returns one encoded event. data must have no line ends, which is true of JSON. Line ends in
// event and id are removed.
func Frame(event, id string, data []byte) []byte {
	f := make([]byte, 0, len(data)+len(event)+len(id)+24)
	f = append(f, "event: "+oneLine.Replace(event)+"\n"...)
	if id != "" {
		f = append(f, "id: "+oneLine.Replace(id)+"\n"...)
	}
	f = append(f, "data: "...)
	f = append(f, data...)
	return append(f, "\n\n"...)
}

var oneLine = strings.NewReplacer("\n", "", "\r", "")

// After returns the position after which a client continues a stream: the header Last-Event-ID,
// else the parameter after. ok is false if the request has neither.
//
// Errors: a problem for a value that is not a position.
func After(r *http.Request) (position int64, ok bool, err error) {
	field, value := "Last-Event-ID", r.Header.Get("Last-Event-ID")
	if value == "" {
		field, value = "after", r.URL.Query().Get("after")
	}
	if value == "" {
		return 0, false, nil
	}
	position, err = strconv.ParseInt(value, 10, 64)
	if err != nil || position < 0 {
		return 0, false, BadParameters(&badParameter{field})
	}
	return position, true, nil
}

type badParameter struct{ name string }

// Error implements error.
func (e *badParameter) Error() string { return e.name + ": want a position of the feed" }
