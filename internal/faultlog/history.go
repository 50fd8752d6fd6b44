package faultlog

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// A History returns at most Lines lines within any Window.
const (
	Lines  = 6
	Window = time.Minute
)

// SettleTime is how long a thing must be well before its fault is over. For example, a
// server that accepts each request and then drops the connection was never well.
const SettleTime = time.Second

// State is the state of a thing. The zero value means that it is well.
type State struct {
	// Kind separates faults that people consider different, such as "denied".
	Kind string
	// Err is the fault; nil if there is none.
	Err error
	// Remedy is the action against the fault; "" if unknown.
	Remedy string
	// Attrs are added to the line. Faults that differ only in Attrs are the same fault.
	Attrs []any
}

// Line is a line to log.
type Line struct {
	State State
	// Lasted is the duration of a fault that is over; zero if a fault has begun.
	Lasted time.Duration
	// Suppressed counts the changes since the last line that were not logged, because there
	// were too many or they were too short.
	Suppressed int
}

// History keeps the state of one thing and its logged faults. The zero value is the
// history of a thing that is well.
type History struct {
	logged, current string // essences of states; "" if well
	state           State
	began           time.Time // of the current fault
	settled         time.Time // start of the time without a fault, until the fault is over
	suppressed      int
	lines           [Lines]time.Time // ring buffer with the times of the last lines
	next            int
}

// See processes the state at a time. It returns the line that is due. If it is too early
// for a line, it returns when to call See again with the same state.
func (h *History) See(at time.Time, s State) (line Line, due bool, again time.Time) {
	h.note(at, s)
	switch free := h.lines[h.next].Add(Window); {
	case !h.settled.IsZero() && at.Before(h.settled.Add(SettleTime)):
		return Line{}, false, h.settled.Add(SettleTime)
	case h.current == h.logged:
		if h.current == "" { // the fault was never logged: too many lines
			h.began, h.settled = time.Time{}, time.Time{}
		}
		return Line{}, false, time.Time{}
	case !h.lines[h.next].IsZero() && at.Before(free):
		return Line{}, false, free
	}
	h.lines[h.next] = at
	h.next = (h.next + 1) % Lines
	line = Line{State: s, Suppressed: h.suppressed - 1}
	if s.Err == nil {
		line.Lasted = h.settled.Sub(h.began)
		h.began, h.settled = time.Time{}, time.Time{}
	}
	h.logged, h.suppressed = h.current, 0
	return line, true, time.Time{}
}

// note records the current state.
func (h *History) note(at time.Time, s State) {
	now := signature(s)
	if now != h.current {
		h.suppressed++
	}
	h.current, h.state = now, s
	switch {
	case now != "":
		h.settled = time.Time{}
		if h.began.IsZero() {
			h.began = at
		}
	case !h.began.IsZero() && h.settled.IsZero():
		h.settled = at
	}
}

// maxSignature is the maximum length of an error that is compared.
const maxSignature = 300

// signature returns the same text for faults that people consider the same: all forms of
// "no answer from the server", and errors that differ only in numbers such as ports and
// times.
func signature(s State) string {
	if s.Err == nil {
		return ""
	}
	return s.Kind + "\x00" + class(s.Err)
}

func class(err error) string {
	var (
		timeout interface{ Timeout() bool }
		dns     *net.DNSError
		errno   syscall.Errno
		refused apierrors.APIStatus
	)
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.As(err, &dns):
		return "name"
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &refused): // a list and a watch are refused in other words
		status := refused.Status()
		return fmt.Sprintf("%d %s", status.Code, status.Reason)
	}
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "list "), "watch ") // they fail in turn
	text = text[:min(len(text), maxSignature)]
	var b strings.Builder
	digits := false
	for _, r := range text {
		digit := r >= '0' && r <= '9' || r == '.' && digits
		switch {
		case !digit:
			b.WriteRune(r)
		case !digits:
			b.WriteByte('#')
		}
		digits = digit
	}
	return b.String()
}
