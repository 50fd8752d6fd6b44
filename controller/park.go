package controller

import (
	"context"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/workqueue"
)

// parkedRetry is the time after which a key is tried again for which no goroutine waits.
const parkedRetry = 250 * time.Millisecond

// mayBegin reports whether a key can be reconciled: the informers show the writes of its
// earlier reconciles, or WriteWait is over.
func (c *Controller) mayBegin(r *reconcile, log *slog.Logger) bool {
	left, since := c.writes.pending(r.key)
	waited := time.Since(since)
	switch {
	case len(left) == 0:
		if !since.IsZero() {
			c.counts.recordWait(waited, nil)
			c.writes.waited(r.key)
		}
	case waited < c.cfg.WriteWait:
		return false
	default:
		c.counts.recordWait(waited, context.DeadlineExceeded)
		c.writes.waited(r.key)
		log.Warn("reconciling before the informers show the key's own writes", "waited", waited, "writes", len(left), "resource", left[0].Resource.String())
	}
	return true
}

// park lets a key wait for its own writes without a worker, and then enqueues it again.
func (c *Controller) park(ctx context.Context, r *reconcile, priority int8) {
	for _, reason := range r.reasons {
		c.ownership.addReason(r.key, reason)
	}
	left, since := c.writes.pending(r.key)
	again := func(after time.Duration) {
		_ = c.queue.AddWith(c.base, r.key, workqueue.Options{Priority: priority, After: after}) // a closed queue has stopped
	}
	parked, already := c.ownership.park(r)
	switch {
	case already: // the goroutine of the key enqueues it
	case !parked:
		again(parkedRetry)
	default:
		c.parked.Go(func() {
			c.awaitWrites(ctx, left, c.cfg.WriteWait-time.Since(since))
			c.ownership.unpark(r)
			again(0) // also at the end, so that the key is among those that are left
		})
	}
}

// awaitWrites waits until the informers show writes, at most for a time.
func (c *Controller) awaitWrites(ctx context.Context, of []kube.Written, most time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	if c.writes.wait(ctx, of) != nil {
		<-ctx.Done() // an informer that has ended shows nothing
	}
}
