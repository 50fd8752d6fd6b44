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

// State is how something is. The zero value is well.
type State struct {
	// Kind tells faults apart that people tell apart: "denied".
	Kind string
	// Err is what is wrong; nil if all is well.
	Err error
	// Remedy is what to do about it; "" where that is not known.
	Remedy string
}

// Line is what there is to say.
type Line struct {
	State State
	// Lasted is how long the fault did that is over; zero if one has begun.
	Lasted time.Duration
	// Unsaid counts the changes since the line before that were not worth one, or too
	// many.
	Unsaid int
}

// History knows what was said of one thing, and how it is. The zero value is that
// of a thing that is well.
type History struct {
	said, now string // essences of states; "" is well
	state     State
	began     time.Time // of the fault that was said, or would have been
	ended     time.Duration
	unsaid    int
	lines     [Lines]time.Time // a ring of the times of the last lines
	next      int
}

// See takes the state at a time. It returns the line that is due; if there are too
// many, it returns when to look again with the same state.
func (h *History) See(at time.Time, s State) (line Line, due bool, again time.Time) {
	was, now := h.now, essence(s)
	h.now, h.state = now, s
	if now != was {
		h.turn(at, was)
	}
	if now == h.said {
		return Line{}, false, time.Time{}
	}
	if free := h.lines[h.next].Add(Window); !h.lines[h.next].IsZero() && at.Before(free) {
		return Line{}, false, free
	}
	h.lines[h.next] = at
	h.next = (h.next + 1) % Lines
	line = Line{State: s, Unsaid: h.unsaid - 1}
	if s.Err == nil {
		line.Lasted = h.ended
	}
	h.said, h.unsaid = now, 0
	return line, true, time.Time{}
}

// turn notes a change.
func (h *History) turn(at time.Time, was string) {
	h.unsaid++
	switch {
	case was == "":
		h.began = at
	case h.now == "":
		h.ended = at.Sub(h.began)
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
