package retention_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// lines is a log that tests read.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), text)
}

// TestRun: it prunes periodically until its context is done, logs what it has removed, and
// refuses an invalid policy at once.
func TestRun(t *testing.T) {
	d := open(t, dbtest.Empty(t, "sqlite"))
	if err := retention.Run(t.Context(), d.DB, retention.Policy{Keep: -1}, slog.Default()); err == nil {
		t.Error("an invalid policy was accepted")
	}
	log := &lines{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- retention.Run(ctx, d.DB, retention.Policy{Keep: time.Hour, Every: 10 * time.Millisecond}, slog.New(slog.NewTextHandler(log, nil)))
	}()
	for round := range wire.Version(2) { // it prunes again
		d.write(lives(3, 4, 1+1000*round))
		d.Until("SELECT COUNT(*) FROM objects", "0")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if !log.has("history pruned") {
		t.Errorf("want a line that the history was pruned, got %s", &log.text)
	}
}
