package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
	"github.com/vedette-io/vedette/workqueue"
)

// work reconciles keys, one at a time, until ctx is done. If a reconcile ends the goroutine
// (as FailNow of a test does), work starts another.
func (c *Controller) work(ctx context.Context) {
	finished := false
	worker := c.queue.Worker()
	defer func() {
		worker.Done()
		if !finished {
			c.workers.Go(func() { c.work(ctx) })
		}
	}()
	for {
		w, err := worker.Next(ctx) // ends the handling of the key before
		if err != nil {
			break
		}
		c.handle(ctx, w)
	}
	finished = true
}

// handle reconciles the key of a work item. The wait of a key for its own writes ends with ctx.
func (c *Controller) handle(ctx context.Context, w workqueue.Work[wire.Key]) {
	key := w.Item
	r := c.ownership.begin(c.base, key, c.ids.next(), w.Retries+1)
	if r == nil {
		return
	}
	defer func() {
		if c.ownership.end(r) {
			c.monitor.returned(r)
		}
	}()
	log := c.log().With("key", key.String(), "reconcile", r.id)
	if c.cfg.WriteWait > 0 && !c.mayBegin(r, log) {
		c.park(ctx, r, w.Priority)
		return
	}
	err := errGoexit
	defer func() { c.finish(r, err, log) }()
	err = c.call(r, Request{
		Key: key, ID: r.id, Attempt: r.attempt, Priority: w.Priority, Reasons: r.reasons, More: r.more, Token: r.token,
	}, log)
}

// call calls the user's function.
func (c *Controller) call(r *reconcile, req Request, log *slog.Logger) (err error) {
	ctx := context.WithValue(r.ctx, loggerKey{}, log)
	if c.cfg.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.cfg.Timeout, ErrTimeout)
		defer cancel()
	}
	if c.cfg.WriteWait > 0 {
		ctx = kube.WithWrites(ctx, func(w kube.Written) { c.writes.note(r.key, w) })
	}
	if c.cfg.Panics != informer.CrashOnPanic {
		defer func() {
			if v := recover(); v != nil {
				err = &PanicError{Value: v, Stack: debug.Stack()}
			}
		}()
	}
	v := c.view()
	err = c.cfg.Reconcile(ctx, v, req)
	if unsynced := v.Err(); unsynced != nil {
		err = fmt.Errorf("the reconcile read an informer that was not synced; pass ReadOnly(informer) to New: %w", unsynced)
	}
	if err != nil && errors.Is(context.Cause(ctx), ErrTimeout) && !errors.Is(err, ErrTimeout) {
		err = errors.Join(ErrTimeout, err)
	}
	return err
}

// view returns a view of all sources. Those of one factory are shown at one instant.
func (c *Controller) view() informer.View {
	v := c.sources[0].view()
	for _, f := range c.sources[1:] {
		f.addTo(v)
	}
	return v
}

// finish records the outcome of a reconcile, and forgets, requeues or retries the key.
func (c *Controller) finish(r *reconcile, err error, log *slog.Logger) {
	outcome, after := classify(err, c.cfg.Panics)
	why := context.Cause(r.ctx)
	interrupted := outcome == Failed && (errors.Is(why, ErrStopping) || errors.Is(why, ErrNotOurs))
	if interrupted {
		outcome = Interrupted
	}
	var p *PanicError
	panicked := errors.As(err, &p)
	c.counts.recordEnd(r, outcome, panicked, err)
	log = log.With("attempt", r.attempt, "reasons", reasonsText(r.reasons))
	switch outcome {
	case Done:
		c.queue.Forget(r.key)
		log.Debug("reconciled")
	case Requeued:
		c.queue.Forget(r.key)
		c.requeueAfter(r.key, after)
		log.Debug("reconciled", "again", after)
	case Failed:
		c.ownership.addReason(r.key, Reason{Cause: Retried})
		delay, _ := c.queue.Retry(c.base, r.key) // the queue is open while workers work
		level := slog.LevelError
		if apierrors.IsConflict(err) { // another writer was faster, which is normal
			level = slog.LevelInfo
		}
		log.Log(c.base, level, "reconcile failed", "err", err, "retry", delay)
	case GivenUp:
		c.queue.Forget(r.key)
		log.Error("reconcile failed and is not retried", "err", err)
	case Interrupted:
		_ = c.enqueue(batch{[]wire.Key{r.key}, []Reason{{Cause: Retried}}}, 0)
		log.Info("reconcile interrupted", "err", err, "cause", why)
	}
	if panicked && c.cfg.Panics == informer.StopOnPanic {
		c.fail(err)
	}
}

// requeueAfter requeues a key whose reconcile returned RequeueAfter.
func (c *Controller) requeueAfter(key wire.Key, after time.Duration) {
	c.ownership.addReason(key, Reason{Cause: Repeated})
	_ = c.queue.AddAfter(c.base, key, after) // the queue is open while workers work
}

func reasonsText(reasons []Reason) string {
	var texts []string
	for _, r := range reasons {
		texts = append(texts, r.String())
	}
	return strings.Join(texts, ", ")
}
