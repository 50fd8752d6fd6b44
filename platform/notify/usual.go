package notify

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Usual times come from the last usualPeriod of the history. They are recomputed every usualEvery.
const (
	usualPeriod  = 7 * 24 * time.Hour
	usualEvery   = time.Hour
	usualRetry   = time.Minute
	usualSamples = 20 // fewer jobs give no usual time
)

// usual computes the times within which nine in ten jobs of a queue start and end. One
// goroutine computes it; any goroutine reads it.
type usual struct {
	history *history.History
	now     func() time.Time
	queues  atomic.Pointer[map[string]history.QueueStats]
}

func newUsual(db *sqldb.DB, now func() time.Time) *usual {
	return &usual{history: history.New(db), now: now}
}

// wait returns the time within which nine in ten jobs of a queue started, and false if too
// few jobs waited.
func (u *usual) wait(queue string) (time.Duration, bool) { return u.of(queue, false) }

// run returns the time within which nine in ten jobs of a queue ended, and false if too
// few jobs ran.
func (u *usual) run(queue string) (time.Duration, bool) { return u.of(queue, true) }

func (u *usual) of(queue string, running bool) (time.Duration, bool) {
	queues := u.queues.Load()
	if queues == nil {
		return 0, false
	}
	spread := (*queues)[queue].Waiting
	if running {
		spread = (*queues)[queue].Running
	}
	return spread.P90, spread.Count >= usualSamples
}

// compute reads the history of the last days.
func (u *usual) compute(ctx context.Context, now time.Time) error {
	queues, err := u.history.QueueStats(ctx, history.Filter{Since: now.Add(-usualPeriod)}, now)
	if err == nil {
		u.queues.Store(&queues)
	}
	return err
}

// keep recomputes the usual times until ctx ends, while needed reports that a rule needs
// them.
func (u *usual) keep(ctx context.Context, needed func() bool, log func() *slog.Logger) {
	fault := &faultlog.Reporter{Fault: "the usual waiting and running times of jobs cannot be computed", Over: "the usual waiting and running times of jobs are computed again", Logger: log}
	defer fault.Stop()
	for wait := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if wait = usualRetry; !needed() {
			continue
		}
		err := u.compute(ctx, u.now())
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			fault.See(faultlog.State{Err: err})
		default:
			fault.See(faultlog.State{})
			wait = usualEvery
		}
	}
}
