package record_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/reflector"
)

// page collects the lines of a log, and signals each line.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
	news chan struct{}
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.news <- struct{}{}:
	default:
	}
	return p.text.Write(b)
}

// lines returns the lines with a level that contain a text.
func (p *page) lines(level slog.Level, text string) (lines []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(p.text.String()) {
		if strings.Contains(line, "level="+level.String()) && strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}

// says waits for a line, and checks that there is exactly one, which contains some texts.
func (p *page) says(t *testing.T, level slog.Level, text string, want ...string) {
	t.Helper()
	late := time.After(time.Minute)
	for len(p.lines(level, text)) == 0 {
		select {
		case <-p.news:
		case <-late:
			t.Fatalf("got no line with %q:\n%s", text, p.text.String())
		}
	}
	lines := p.lines(level, text)
	if len(lines) != 1 {
		t.Errorf("got %d lines with %q, want 1:\n%s", len(lines), text, strings.Join(lines, ""))
	}
	for _, w := range want {
		if !strings.Contains(lines[0], w) {
			t.Errorf("got the line %q, want %q in it", lines[0], w)
		}
	}
}

// strikes waits until a fault has been injected n times.
func strikes(t *testing.T, i *apitest.Injection, n int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for late := time.After(time.Minute); i.Hits() < n; {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("the fault was injected %d times", i.Hits())
		}
	}
}

// TestFaultsAreLogged checks that a fault is one line, no matter how often the recorder
// retries, even while nothing answers, and that its end is one line.
func TestFaultsAreLogged(t *testing.T) {
	w := newWorld(t, "sqlite:"+filepath.Join(t.TempDir(), "history.db"))
	p := &page{news: make(chan struct{}, 1)}
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
	strikes(t, forbidden, 10)
	forbidden.Release()
	p.says(t, slog.LevelInfo, "following the server again", "type=pods", "after=")
	p.says(t, slog.LevelWarn, "cannot follow the server")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
