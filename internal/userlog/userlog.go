// Package userlog guards the loggers of the program: a panic of their handler ends no
// goroutine and leaves no lock held.
package userlog

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync/atomic"

	"github.com/vedette-io/vedette/internal/stacktrace"
)

// recent is the logger that Of guarded last. A package asks for the same one again and again.
var recent atomic.Pointer[pair]

// fallback receives the first panic of a handler.
var fallback = slog.New(slog.NewTextHandler(os.Stderr, nil))

type pair struct{ of, guarded *slog.Logger }

// Of returns a logger that writes to l, or to slog.Default() if l is nil. If the handler
// panics, the line is lost. The first panic of a handler goes to the standard error.
func Of(l *slog.Logger) *slog.Logger {
	if l == nil {
		l = slog.Default()
	}
	if _, ok := l.Handler().(*handler); ok {
		return l
	}
	if p := recent.Load(); p != nil && p.of == l {
		return p.guarded
	}
	p := &pair{l, slog.New(&handler{l.Handler(), new(atomic.Bool)})}
	recent.Store(p)
	return p.guarded
}

// handler is a handler of the program.
type handler struct {
	of       slog.Handler
	reported *atomic.Bool
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, level slog.Level) (enabled bool) {
	defer h.recovered("Enabled", nil)
	return h.of.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) (err error) {
	defer h.recovered("Handle", &r)
	return h.of.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) (with slog.Handler) {
	with = h
	defer h.recovered("WithAttrs", nil)
	return &handler{h.of.WithAttrs(attrs), h.reported}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) (with slog.Handler) {
	with = h
	defer h.recovered("WithGroup", nil)
	return &handler{h.of.WithGroup(name), h.reported}
}

// recovered ends the panic of a method of the handler, and prints the first one.
func (h *handler) recovered(method string, r *slog.Record) {
	v := recover()
	if v == nil || h.reported.Swap(true) {
		return
	}
	line := ""
	if r != nil {
		line = r.Message
	}
	fallback.Error("the handler of the logger panicked; its later panics are not reported",
		"method", method, "panic", fmt.Sprint(v), "stack", stacktrace.Line(debug.Stack()), "line", line)
}
