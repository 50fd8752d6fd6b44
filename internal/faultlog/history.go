package faultlog

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"time"
)

// Within any Window a history lets at most Lines lines through.
const (
	Lines  = 6
	Window = time.Minute
)

// Calm is how long a thing has to be well until its fault is over. What fails again
// at once, as a server does that accepts each request and then breaks off, was not well.
const Calm = time.Second

// State is how something is. The zero value is well.
type State struct {
	// Kind tells faults apart that people tell apart: "denied".
	Kind string
	// Err is what is wrong; nil if all is well.
	Err error
	// Remedy is what to do about it; "" where that is not known.
	Remedy string
	// Attrs are added to the line. They make no difference between two faults.
	Attrs []any
}

// Line is what there is to say.
type Line struct {
	State State
	// Lasted is how long the fault did that is over; zero if one has begun.
	Lasted time.Duration
	// Unsaid counts the changes since the line before that were too many, or too short.
	Unsaid int
}

// History knows what was said of one thing, and how it is. The zero value is that
// of a thing that is well.
type History struct {
	said, now string // essences of states; "" is well
	state     State
	began     time.Time // of the fault that is not over
	calm      time.Time // since when there is none, while it is not over
	unsaid    int
	lines     [Lines]time.Time // a ring of the times of the last lines
	next      int
}

// See takes the state at a time. It returns the line that is due; if it is too early
// for one, it returns when to look again with the same state.
func (h *History) See(at time.Time, s State) (line Line, due bool, again time.Time) {
	h.note(at, s)
	switch free := h.lines[h.next].Add(Window); {
	case !h.calm.IsZero() && at.Before(h.calm.Add(Calm)):
		return Line{}, false, h.calm.Add(Calm)
	case h.now == h.said:
		if h.now == "" { // too many lines: it was never said
			h.began, h.calm = time.Time{}, time.Time{}
		}
		return Line{}, false, time.Time{}
	case !h.lines[h.next].IsZero() && at.Before(free):
		return Line{}, false, free
	}
	h.lines[h.next] = at
	h.next = (h.next + 1) % Lines
	line = Line{State: s, Unsaid: h.unsaid - 1}
	if s.Err == nil {
		line.Lasted = h.calm.Sub(h.began)
		h.began, h.calm = time.Time{}, time.Time{}
	}
	h.said, h.unsaid = h.now, 0
	return line, true, time.Time{}
}

// note takes down how it is.
func (h *History) note(at time.Time, s State) {
	now := essence(s)
	if now != h.now {
		h.unsaid++
	}
	h.now, h.state = now, s
	switch {
	case now != "":
		h.calm = time.Time{}
		if h.began.IsZero() {
			h.began = at
		}
	case !h.began.IsZero() && h.calm.IsZero():
		h.calm = at
	}
}

// maxEssence bounds how much of an error is compared.
const maxEssence = 300

// essence is the same for faults that are one to people: no answer from a server is
// one, however it is put, and two errors are that differ in numbers alone, such as
// ports and times.
func essence(s State) string {
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
	)
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.As(err, &dns):
		return "name"
	case errors.As(err, &errno):
		return errno.Error()
	}
	text := err.Error()
	text = text[:min(len(text), maxEssence)]
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
