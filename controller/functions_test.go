package controller_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/wire"
)

// panickingLimiter panics for each retry.
type panickingLimiter struct{}

// Delay implements workqueue.Limiter.
func (panickingLimiter) Delay(int) time.Duration { panic("no delay") }

// TestPanickingFunctions: a controller whose group and limiter panic reconciles and retries
// every key, and logs the first panic of each.
func TestPanickingFunctions(t *testing.T) {
	inWorld(t, func(w *world) {
		var d diary
		c := w.controller(controller.Config{
			Group:   func(wire.Key) string { panic("no group") },
			Limiter: panickingLimiter{},
			Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
				if r.Attempt == 1 {
					return errors.New("planted")
				}
				d.note("%s", r.Key.Name)
				return nil
			},
		}, controller.Objects(w.pods))
		stop := w.run(c)
		defer stop()
		w.create(pod("a"), pod("b"))
		pass(time.Minute)
		equal(t, "reconciled", d.sorted(), []string{"a", "b"})
		for _, text := range []string{"no group", "no delay"} {
			if got := strings.Count(strings.Join(w.logs.all(), "\n"), text); got != 1 {
				t.Errorf("got %d log lines with %q, want 1: %q", got, text, w.logs.all())
			}
		}
	})
}

// runnerFunc is a runner.
type runnerFunc func(context.Context) error

// Run implements controller.Runner.
func (f runnerFunc) Run(ctx context.Context) error { return f(ctx) }

// TestPanickingRunner: Run returns the panic of a runner.
func TestPanickingRunner(t *testing.T) {
	inWorld(t, func(w *world) {
		c := w.controller(controller.Config{
			Runners:   []controller.Runner{w.factory, runnerFunc(func(context.Context) error { panic("on purpose") })},
			Reconcile: func(context.Context, informer.View, controller.Request) error { return nil },
		}, controller.Objects(w.pods))
		var p *controller.PanicError
		if err := c.Run(w.ctx); !errors.As(err, &p) {
			t.Errorf("Run returned %v, want a PanicError", err)
		}
	})
}

// TestOverdueRunner: the log names a runner that ignores the end of its context.
func TestOverdueRunner(t *testing.T) {
	inWorld(t, func(w *world) {
		slow := runnerFunc(func(ctx context.Context) error {
			<-ctx.Done()
			<-time.After(time.Minute) // an input: how long the runner ignores its context
			return nil
		})
		c := w.controller(controller.Config{
			Runners:   []controller.Runner{w.factory, slow},
			Reconcile: func(context.Context, informer.View, controller.Request) error { return nil },
		}, controller.Objects(w.pods))
		stop := w.run(c)
		pass(time.Second)
		stop()
		if text := strings.Join(w.logs.all(), "\n"); strings.Count(text, "does not return") != 1 || !strings.Contains(text, "controller_test.runnerFunc of Config.Runners") {
			t.Errorf("got log %q, want a line that names the runner", text)
		}
	})
}

// TestPanickingFirstVersion: a panic of FirstVersion reaches the caller of Revisions. The
// informer continues, also for another call.
func TestPanickingFirstVersion(t *testing.T) {
	inWorld(t, func(w *world) {
		w.create(pod("a"))
		queue := controller.NewRevisionQueue(controller.RevisionQueueConfig[corev1.Pod]{})
		w.work.Go(func() { _ = w.factory.Run(w.ctx) })
		panics := true
		cfg := controller.RevisionsConfig[corev1.Pod]{
			Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{informer.GenerationChanged()}},
			FirstVersion: func(_ context.Context, r controller.Revision[corev1.Pod]) (wire.Version, error) {
				if panics {
					panic("on purpose")
				}
				return r.Version, nil
			},
		}
		func() {
			defer func() {
				if v := recover(); v != "on purpose" {
					t.Errorf("got the panic %v", v)
				}
			}()
			_ = controller.Revisions(w.ctx, w.pods, queue, cfg)
		}()
		panics = false
		w.work.Go(func() { _ = controller.Revisions(w.ctx, w.pods, queue, cfg) })
		w.create(pod("b"))
		pass(time.Minute)
		for range 2 {
			if _, ok := queue.TryGet(); !ok {
				t.Error("a revision is missing")
			}
		}
	})
}
