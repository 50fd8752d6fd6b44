package controller

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// reconcile is a reconcile that runs, or whose key waits for its own writes.
type reconcile struct {
	key     wire.Key
	id      string
	attempt int
	start   time.Time
	token   uint64
	reasons []Reason
	more    int
	ctx     context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{}

	// Guarded by ownership.mu:
	revoked bool      // its context ends after the grace period
	due     time.Time // when it is overdue
	overdue bool      // it has been logged as overdue
}

func oldestFirst(a, b *reconcile) int { return a.start.Compare(b.start) }
