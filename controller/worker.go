package controller

import (
	"context"
	"errors"
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
	r := c.shift.begin(c.base, key, c.ids.next(), w.Retries+1)
	if r == nil {
		return
	}
	defer c.shift.end(r)
	log := c.log().With("key", key.String(), "reconcile", r.id)
	err := errGoexit
	defer func() { c.settle(r, err, log) }()
	c.waitForWrites(r, log)
	err = c.call(r, Request{
		Key: key, ID: r.id, Attempt: r.attempt, Priority: w.Priority, Reasons: r.reasons, More: r.more, Token: r.token,
	}, log)
}

// waitForWrites waits, as long as it may, until the informers show what earlier
// reconciles of the key have written.
func (c *Controller) waitForWrites(r *run, log *slog.Logger) {
	if c.cfg.WriteWait == 0 {
		return
	}
	unseen := c.writes.pending(r.key)
	if len(unseen) == 0 {
		return
	}
	c.shift.setWaiting(r, true)
	defer c.shift.setWaiting(r, false)
	began := time.Now()
	ctx, cancel := context.WithTimeout(r.ctx, c.cfg.WriteWait)
	defer cancel()
	err := c.writes.wait(ctx, unseen)
	c.counts.waited(time.Since(began), err)
	if err != nil && r.ctx.Err() == nil {
		log.Warn("reconcile without having seen its own writes", "waited", c.cfg.WriteWait, "writes", len(c.writes.pending(r.key)))
	}
}

// call calls the user's function.
func (c *Controller) call(r *run, req Request, log *slog.Logger) (err error) {
	ctx := context.WithValue(r.ctx, loggerKey{}, log)
	if c.cfg.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.cfg.Timeout, ErrTimeout)
		defer cancel()
	}
	if c.cfg.WriteWait > 0 {
		ctx = kube.WithWrites(ctx, func(w kube.Written) { c.writes.note(r.key, w) })
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	err = c.cfg.Reconcile(ctx, c.view(), req)
	if err != nil && errors.Is(context.Cause(ctx), ErrTimeout) && !errors.Is(err, ErrTimeout) {
		err = errors.Join(ErrTimeout, err)
	}
	return err
}

// view returns what all sources show: those of one factory at one instant.
func (c *Controller) view() informer.View {
	v := c.feeds[0].view()
	for _, f := range c.feeds[1:] {
		if !f.in(v) {
			v = v.And(f.view())
		}
	}
	return v
}

// settle does what the answer of a reconcile asks for.
func (c *Controller) settle(r *run, err error, log *slog.Logger) {
	outcome, after := judge(err, c.cfg.Panics)
	why := context.Cause(r.ctx)
	interrupted := outcome == Failed && (errors.Is(why, ErrStopping) || errors.Is(why, ErrNotOurs))
	if interrupted {
		outcome = Interrupted
	}
	var p *PanicError
	panicked := errors.As(err, &p)
	c.counts.ended(outcome, panicked, r.key, err)
	log = log.With("attempt", r.attempt, "reasons", reasonsText(r.reasons))
	switch outcome {
	case Done:
		c.queue.Forget(r.key)
		log.Debug("reconciled")
	case AgainLater:
		c.queue.Forget(r.key)
		c.repeat(r.key, after)
		log.Debug("reconciled", "again", after)
	case Failed:
		c.shift.note(r.key, Reason{Cause: Retried})
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
		_ = c.post(batch{[]wire.Key{r.key}, []Reason{{Cause: Retried}}}, 0)
		log.Info("reconcile interrupted", "err", err, "cause", why)
	}
	if panicked && c.cfg.Panics == StopOnPanic {
		c.fail(err)
	}
}

// repeat makes a key wait that asked for it, after a while.
func (c *Controller) repeat(key wire.Key, after time.Duration) {
	c.shift.note(key, Reason{Cause: Repeated})
	_ = c.queue.AddAfter(c.base, key, after) // the queue is open while workers work
}

func reasonsText(reasons []Reason) string {
	var texts []string
	for _, r := range reasons {
		texts = append(texts, r.String())
	}
	return strings.Join(texts, ", ")
}
