package faultlog

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// maxText bounds what is logged of an error: a part of it may come from a server.
const maxText = 500

// Reporter writes the faults of one thing to a log. Any goroutine may use it.
type Reporter struct {
	// Fault is the message of a fault, which is logged as Warn; Over that of its end,
	// which is logged as Info.
	Fault, Over string
	// Logger returns where to write to. It is asked for each line.
	Logger func() *slog.Logger
	// Attrs are added to each line.
	Attrs []any

	mu      sync.Mutex
	history History
	timer   *time.Timer // nil if nothing waits to be said
	stopped bool
}

// See takes the state now, and writes the line that is due. If it is too early for
// one, it is written later, as long as the state is the same then.
func (r *Reporter) See(s State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.stopped {
		r.seeLocked(s)
	}
}

// Stop says that nothing more is to be written.
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
	now := time.Now()
	line, due, again := r.history.See(now, s)
	if due {
		r.write(line)
	}
	if !again.IsZero() {
		r.timer = time.AfterFunc(again.Sub(now), r.look)
	}
}

// look looks again at the state that was seen last.
func (r *Reporter) look() {
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
	if line.Unsaid > 0 {
		attrs = append(attrs, "unsaid", line.Unsaid)
	}
	r.Logger().Log(context.Background(), level, message, attrs...)
}

// Text makes one line of bounded length of an error.
func Text(err error) string {
	text := err.Error()
	if len(text) > maxText {
		text = text[:maxText] + " …"
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
}
