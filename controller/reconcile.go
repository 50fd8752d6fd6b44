package controller

import (
	"context"

	"github.com/vedette-io/vedette/informer"
)

// Reconcile watches the objects of an informer, and reconciles the key of each
// that exists or changes, until ctx is done; then it returns nil. It runs the
// informer, unless the informer was run before or a factory runs it. It is New with
// one source and the defaults, followed by Run.
//
// Errors: those of New, of Run and of the informer.
func Reconcile[T any](ctx context.Context, i *informer.Informer[T], f Func) error {
	cfg := Config{Reconcile: f}
	if i != nil {
		cfg.Runners = []Runner{runnerOf[T]{i}}
	}
	c, err := New(cfg, Objects(i))
	if err != nil {
		return err
	}
	return c.Run(ctx)
}

// runnerOf runs an informer unless something else runs it.
type runnerOf[T any] struct{ informer *informer.Informer[T] }

// Run implements Runner.
func (r runnerOf[T]) Run(ctx context.Context) error {
	ran, err := r.informer.TryRun(ctx)
	if !ran {
		<-ctx.Done()
	}
	return err
}
