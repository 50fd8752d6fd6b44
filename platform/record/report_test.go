package record_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/reflector"
)

// page collects the lines of a log.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// lines returns the lines with a level that contain a text.
func (p *page) lines(level slog.Level, text string) (lines []string) {
	for line := range strings.Lines(p.String()) {
		if strings.Contains(line, "level="+level.String()) && strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}

// says waits for a line, and checks that there is exactly one, which contains some texts.
func (p *page) says(t *testing.T, level slog.Level, text string, want ...string) {
	t.Helper()
	var lines []string
	patience.Until(t, "a line with "+text, func() string {
		if lines = p.lines(level, text); len(lines) == 0 {
			return fmt.Sprintf("got the log %q", p)
		}
		return ""
	})
	if len(lines) != 1 {
		t.Errorf("got %d lines with %q, want 1:\n%s", len(lines), text, strings.Join(lines, ""))
	}
	for _, w := range want {
		if !strings.Contains(lines[0], w) {
			t.Errorf("got the line %q, want %q in it", lines[0], w)
		}
	}
}

// TestFaultsAreLogged checks that a fault is one line, no matter how often the recorder
// retries, even while nothing answers, and that its end is one line.
func TestFaultsAreLogged(t *testing.T) {
	w := newWorld(t, "sqlite:"+filepath.Join(t.TempDir(), "history.db"))
	p := &page{}
	inject := func(f apitest.Fault) *apitest.Injection {
		i, err := w.srv.Inject(f)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	silent := inject(apitest.Fault{Match: apitest.Match{Resource: "namespaces"}, Times: apitest.Always, Action: apitest.Hang()})
	forbidden := inject(apitest.Fault{Match: apitest.Match{Resource: "pods"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(403, 0))})
	r, err := record.New(w.d, record.Config{
		Cluster: w.cluster, Targets: []record.Target{{Type: "pods"}}, Start: record.Wait, Logger: slog.New(slog.NewTextHandler(p, nil)),
		Reflector: reflector.Config{MinBackoff: time.Millisecond, MaxBackoff: 2 * time.Millisecond, SlowRetry: 2 * time.Millisecond, SlowAnswer: 20 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	p.says(t, slog.LevelWarn, "the identity of the cluster is not known yet", "no answer for 20ms", "host=", "remedy=")
	silent.Release()
	p.says(t, slog.LevelWarn, "cannot follow the server", "fault=denied", "type=pods", "host=", "remedy=")
	patience.Until(t, "the fault is injected 10 times", func() string {
		if n := forbidden.Hits(); n < 10 {
			return fmt.Sprintf("%d times", n)
		}
		return ""
	})
	forbidden.Release()
	p.says(t, slog.LevelInfo, "following the server again", "type=pods", "after=")
	p.says(t, slog.LevelWarn, "cannot follow the server")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
