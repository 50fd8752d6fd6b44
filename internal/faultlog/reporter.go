package faultlog

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// maxText is the maximum logged length of an error, because the text may come from a
// server.
const maxText = 500

// Reporter writes the faults of one thing to a log. Any goroutine may use it.
type Reporter struct {
	// Fault is the log message for a fault, logged as Warn. Over is the message for its
	// end, logged as Info.
	Fault, Over string
	// Logger returns the logger to write to. It is called for each line.
	Logger func() *slog.Logger
	// Attrs are added to each line.
	Attrs []any

	mu      sync.Mutex
	history *History    // nil until the first fault
	timer   *time.Timer // nil if no line is pending
	stopped bool
}

// See processes the current state, and writes the line that is due. If it is too early for
// a line, the line is written later, provided that the state is still the same.
func (r *Reporter) See(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.seeLocked(s)
	}
}

// Stop prevents all further lines.
func (r *Reporter) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	if r.timer != nil {
		r.timer.Stop()
	}
}

func (r *Reporter) seeLocked(s State) {
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
	if r.history == nil {
		if s.Err == nil {
			return
		}
		r.history = new(History)
	}
	now := time.Now()
	line, due, again := r.history.See(now, s)
	if due {
		r.write(line)
	}
	if !again.IsZero() {
		r.timer = time.AfterFunc(again.Sub(now), r.recheck)
	}
}

// recheck checks the last state again.
func (r *Reporter) recheck() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.seeLocked(r.history.state)
	}
}

func (r *Reporter) write(line Line) {
	attrs := append([]any(nil), r.Attrs...)
	level, message := slog.LevelWarn, r.Fault
	if line.State.Err == nil {
		level, message = slog.LevelInfo, r.Over
		attrs = append(attrs, "after", line.Lasted.Round(time.Millisecond).String())
	} else {
		if line.State.Kind != "" {
			attrs = append(attrs, "fault", line.State.Kind)
		}
		attrs = append(attrs, "err", Text(line.State.Err))
		if line.State.Remedy != "" {
			attrs = append(attrs, "remedy", line.State.Remedy)
		}
	}
	attrs = append(attrs, line.State.Attrs...)
	if line.Suppressed > 0 {
		attrs = append(attrs, "unsaid", line.Suppressed)
	}
	r.Logger().Log(context.Background(), level, message, attrs...)
}

// Text returns the text of an error as one line of bounded length.
func Text(err error) string {
	text := err.Error()
	if len(text) > maxText {
		text = text[:maxText] + " …"
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
}
