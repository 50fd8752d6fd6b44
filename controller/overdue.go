package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// maxNamed is the maximum number of keys in one line of the log.
const maxNamed = 10

// overdueMonitor logs reconciles that do not return. It needs no goroutine: its timer runs
// while reconciles run that may become overdue.
type overdueMonitor struct {
	ownership *ownership
	log       func() *slog.Logger

	mu     sync.Mutex // held while the monitor logs
	closed bool
}

// report logs the reconciles that have become overdue. The line at the end of Run names those
// that have the cause ErrStopping.
func (m *overdueMonitor) report() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	for _, r := range m.ownership.becomeOverdue() {
		why := context.Cause(r.ctx)
		if errors.Is(why, ErrStopping) {
			continue
		}
		if why == nil {
			why = ErrTimeout
		}
		m.log().Warn("controller: a reconcile does not return; its worker reconciles nothing else",
			"key", r.key.String(), "reconcile", r.id, "attempt", r.attempt, "age", age(r.start), "cause", why, "remedy", "return when the context is done")
	}
}

// returned logs the end of a reconcile that was overdue.
func (m *overdueMonitor) returned(r *reconcile) {
	m.log().Info("controller: an overdue reconcile has returned", "key", r.key.String(), "reconcile", r.id, "age", age(r.start))
}

// reportEnd logs the reconciles that Run waits for.
func (m *overdueMonitor) reportEnd() {
	m.mu.Lock()
	defer m.mu.Unlock()
	running := m.ownership.running()
	if m.closed || len(running) == 0 {
		return
	}
	var names []string
	for _, r := range running[:min(len(running), maxNamed)] {
		names = append(names, fmt.Sprintf("%s (%s, %s)", r.key, r.id, age(r.start)))
	}
	m.log().Warn("controller: Run waits for reconciles that do not return", "count", len(running), "keys", names, "remedy", "return when the context is done")
}

// close prevents further lines.
func (m *overdueMonitor) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
}

func age(since time.Time) string { return time.Since(since).Round(time.Second).String() }
