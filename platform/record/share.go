package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/record/shard"
)

// sharer records the targets of one cluster that this recorder holds.
type sharer struct {
	cfg       *Config
	report    *reporter
	newTarget func(i int) *targetRecorder // returns a recorder for the i-th target
}

// run offers all targets, and records those that this recorder holds, until ctx ends or a
// different cluster answers.
//
// Errors: a type could not be resolved, and Config.Start is FailFast; errClusterReplaced.
func (s *sharer) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make([]error, len(s.cfg.Targets))
	var work sync.WaitGroup
	for i := range s.cfg.Targets {
		work.Go(func() {
			if results[i] = s.share(ctx, i); results[i] != nil {
				cancel()
			}
		})
	}
	work.Wait()
	return cmp.Or(results...)
}

// share offers the i-th target, and records it while this recorder holds it.
//
// Errors: those of run.
func (s *sharer) share(ctx context.Context, i int) error {
	t := s.newTarget(i)
	scope, err := s.scopeOf(ctx, t)
	if err != nil || ctx.Err() != nil {
		return err
	}
	health := t.health
	offer := s.cfg.Shards.Offer(scope, func() shard.Sample {
		h := health.get()
		return shard.Sample{Ready: h.caughtUp(time.Now()), Revisions: uint64(h.Revisions + h.Duplicates), Objects: h.Objects}
	})
	defer offer.Withdraw()
	health.standBy(offer.Elsewhere)
	for {
		lease, err := offer.Acquire(ctx)
		if err != nil {
			return nil // ctx has ended
		}
		err = s.hold(ctx, s.newTarget(i), lease)
		health.standBy(offer.Elsewhere)
		lease.Release()
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// scopeOf returns the scope of a target. It waits for a type that the server does not serve
// and, with Config.Start Wait, for the server and the database.
//
// Errors: the server or the database did not answer, and Config.Start is FailFast; ctx has
// ended.
func (s *sharer) scopeOf(ctx context.Context, t *targetRecorder) (scope model.Scope, err error) {
	defer t.faults.stop()
	for n := 0; ; n++ {
		err := s.report.ask(ctx, t.faults.start, func() (err error) {
			_, scope, err = t.resolve(ctx)
			return err
		})
		unknown := new(kube.UnknownResourceError)
		if err == nil || s.cfg.Start == FailFast && n == 0 && !errors.As(err, &unknown) {
			return scope, wrapped(err, t.target.Type)
		}
		t.health.notStarted(err)
		if err := pause.For(ctx, s.cfg.retryDelay(n)); err != nil {
			return scope, nil // the caller notices that ctx has ended
		}
	}
}

func wrapped(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// hold records a target while a lease lasts.
//
// Errors: errClusterReplaced.
func (s *sharer) hold(ctx context.Context, t *targetRecorder, lease *shard.Lease) error {
	ctx, done := lease.Context(ctx)
	defer done()
	t.lease = lease
	s.report.log().With(t.target.attrs()...).Info("recording a shard", "cluster", s.cfg.ClusterName)
	if err := s.report.ask(ctx, t.faults.start, func() error { return t.open(ctx) }); err != nil {
		t.health.notStarted(err) // run tries again
	}
	err := t.run(ctx)
	s.report.log().With(t.target.attrs()...).Info("no longer recording a shard", "cluster", s.cfg.ClusterName)
	return err
}
