package faultlog

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestReporter: recurring faults give a bounded number of lines, including the last state.
// Each is one line, even if the text of a server has several.
func TestReporter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		r := Reporter{
			Fault: "it fails", Over: "it works", Attrs: []any{"resource", "pods"},
			Logger: func() *slog.Logger { return slog.New(slog.NewTextHandler(&out, nil)) },
		}
		defer r.Stop()
		written := func() string { // reads under the lock of the writer
			r.mu.Lock()
			defer r.mu.Unlock()
			return out.String()
		}
		text := "no\x1b[31m\nway " + strings.Repeat("x", 10_000)
		for range 100 {
			r.See(State{Kind: "denied", Err: errors.New("another"), Remedy: "ask"})
			r.See(State{Kind: "denied", Err: errors.New(text), Remedy: "ask"})
			r.See(State{})
		}
		r.See(State{Kind: "denied", Err: errors.New("last " + text), Remedy: "ask", Attrs: []any{"key", "x"}})
		if n := strings.Count(written(), "\n"); n != Lines {
			t.Errorf("%d lines, want %d:\n%s", n, Lines, written())
		}
		<-time.After(Window)
		synctest.Wait()
		lines := strings.Split(strings.TrimSpace(written()), "\n")
		if len(lines) != Lines+1 {
			t.Fatalf("%d lines, want %d", len(lines), Lines+1)
		}
		last := lines[Lines]
		for _, want := range []string{"level=WARN", `msg="it fails"`, "resource=pods", "fault=denied", "remedy=ask", "unsaid=292", "key=x", `no\x1b[31m way x`} {
			if !strings.Contains(last, want) {
				t.Errorf("got the line %q, want %q in it", last, want)
			}
		}
		if len(last) > 2*maxText {
			t.Errorf("a line of %d bytes", len(last))
		}
	})
}
