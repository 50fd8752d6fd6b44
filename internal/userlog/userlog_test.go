package userlog

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
)

// broken is a handler of which one method panics.
type broken struct {
	slog.Handler
	method string
}

func (b broken) fail(method string) {
	if method == b.method {
		panic("on purpose")
	}
}

func (b broken) Enabled(ctx context.Context, l slog.Level) bool {
	b.fail("Enabled")
	return b.Handler.Enabled(ctx, l)
}

func (b broken) Handle(ctx context.Context, r slog.Record) error {
	b.fail("Handle")
	return b.Handler.Handle(ctx, r)
}

func (b broken) WithAttrs(attrs []slog.Attr) slog.Handler {
	b.fail("WithAttrs")
	return broken{b.Handler.WithAttrs(attrs), b.method}
}

func (b broken) WithGroup(name string) slog.Handler {
	b.fail("WithGroup")
	return broken{b.Handler.WithGroup(name), b.method}
}

// TestPanics: no panic of a handler leaves the logger, and the first one is reported.
func TestPanics(t *testing.T) {
	before := fallback
	defer func() { fallback = before }()
	for _, method := range []string{"", "Enabled", "Handle", "WithAttrs", "WithGroup"} {
		var lines, reports bytes.Buffer
		fallback = slog.New(slog.NewTextHandler(&reports, nil))
		of := slog.New(broken{slog.NewTextHandler(&lines, nil), method})
		log := Of(of)
		if Of(of) != log || Of(log) != log {
			t.Error("a logger was guarded twice")
		}
		for range 2 {
			log.With("a", 1).WithGroup("g").Info("line", "b", 2)
		}
		if got := strings.Count(reports.String(), "panic=\"on purpose\" stack=\"userlog.broken.fail"); got != min(len(method), 1) {
			t.Errorf("%s panics: got reports %q", method, reports.String())
		}
		if method == "" && strings.Count(lines.String(), "msg=line a=1 g.b=2") != 2 {
			t.Errorf("got lines %q, want two", lines.String())
		}
	}
}
