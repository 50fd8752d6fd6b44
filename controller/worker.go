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

// work reconciles one key after the other until ctx is done. If a reconcile ends
// the goroutine (as FailNow of a test does), another takes its place.
func (c *Controller) work(ctx context.Context) {
	whole := false
	defer func() {
		if !whole {
			c.workers.Go(func() { c.work(ctx) })
		}
	}()
	for {
		w, err := c.queue.Get(ctx)
		if err != nil {
			break
		}
		c.handle(w)
	}
	whole = true
}

// handle deals with one key.
func (c *Controller) handle(w workqueue.Work[wire.Key]) {
	key := w.Item
	defer func() { _ = c.queue.Done(key) }() // it is handled, by us
	r := c.ownership.begin(c.base, key, c.ids.next(), w.Retries+1)
	if r == nil {
		return
	}
	defer c.ownership.end(r)
	log := c.log().With("key", key.String(), "reconcile", r.id)
	if c.cfg.WriteWait > 0 && !c.waitForWrites(r, log) {
		c.postpone(r, w.Priority)
		return
	}
	err := errGoexit
	defer func() { c.finish(r, err, log) }()
	err = c.call(r, Request{
		Key: key, ID: r.id, Attempt: r.attempt, Priority: w.Priority, Reasons: r.reasons, More: r.more, Token: r.token,
	}, log)
}

// patience is how long a worker waits for the writes of one key, and how long the
// key is put off then.
const writeWaitSlice = time.Second

// waitForWrites waits until the informers show what earlier reconciles of the key
// have written, and reports whether they do, or it has taken too long.
func (c *Controller) waitForWrites(r *reconcile, log *slog.Logger) bool {
	left, since := c.writes.pending(r.key)
	if len(left) > 0 {
		rest := c.cfg.WriteWait - time.Since(since)
		c.ownership.setWaiting(r, true)
		ctx, cancel := context.WithTimeout(r.ctx, min(rest, writeWaitSlice))
		err := c.writes.wait(ctx, left)
		cancel()
		c.ownership.setWaiting(r, false)
		switch {
		case err == nil:
		case rest > writeWaitSlice || r.ctx.Err() != nil:
			return false
		default:
			c.counts.recordWait(time.Since(since), err)
			c.writes.waited(r.key)
			log.Warn("reconcile without having seen its own writes", "waited", time.Since(since), "writes", len(left))
			return true
		}
	}
	if !since.IsZero() {
		c.counts.recordWait(time.Since(since), nil)
		c.writes.waited(r.key)
	}
	return true
}

// putOff lets a key wait a little longer that waits for its own writes.
func (c *Controller) postpone(r *reconcile, priority int8) {
	for _, reason := range r.reasons {
		c.ownership.addReason(r.key, reason)
	}
	_ = c.queue.AddWith(c.base, r.key, workqueue.Options{Priority: priority, After: writeWaitSlice}) // the queue is open while workers work
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
		err = fmt.Errorf("what was reconciled was read too early: Reads makes the controller wait for it: %w", unsynced)
	}
	if err != nil && errors.Is(context.Cause(ctx), ErrTimeout) && !errors.Is(err, ErrTimeout) {
		err = errors.Join(ErrTimeout, err)
	}
	return err
}

// view returns what all sources show: those of one factory at one instant.
func (c *Controller) view() informer.View {
	v := c.sources[0].view()
	for _, f := range c.sources[1:] {
		f.addTo(v)
	}
	return v
}

// settle does what the answer of a reconcile asks for.
func (c *Controller) finish(r *reconcile, err error, log *slog.Logger) {
	outcome, after := classify(err, c.cfg.Panics)
	why := context.Cause(r.ctx)
	interrupted := outcome == Failed && (errors.Is(why, ErrStopping) || errors.Is(why, ErrNotOurs))
	if interrupted {
		outcome = Interrupted
	}
	var p *PanicError
	panicked := errors.As(err, &p)
	c.counts.recordEnd(outcome, panicked, r.key, err)
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
		if apierrors.IsConflict(err) { // somebody else was faster: everyday life
			level = slog.LevelInfo
		}
		log.Log(c.base, level, "reconcile failed", "err", err, "retry", delay)
	case GivenUp:
		c.queue.Forget(r.key)
		log.Error("reconcile failed, and is not retried", "err", err)
	case Interrupted:
		_ = c.enqueue(batch{[]wire.Key{r.key}, []Reason{{Cause: Retried}}}, 0)
		log.Info("reconcile interrupted", "err", err, "cause", why)
	}
	if panicked && c.cfg.Panics == informer.StopOnPanic {
		c.fail(err)
	}
}

// repeat makes a key wait that asked for it, after a while.
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
