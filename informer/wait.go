package informer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/wire"
)

// losslessKey is the key of a context value: the context belongs to a Lossless handler of
// the engine.
type losslessKey struct{ engine *engine }

// checkWait returns an error if the caller must not wait for the engine.
func (e *engine) checkWait(ctx context.Context) error {
	if ctx.Value(losslessKey{e}) != nil {
		return ErrWaitInHandler
	}
	e.expectRun()
	return nil
}

// expectRun records that the program waits for data of the engine.
func (e *engine) expectRun() {
	i := &e.idle
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer == nil && e.stateNow() == engineNew {
		i.log = e.log("informer: the program waits for an informer that is not running", "informer: the informer is running now")
		i.timer = time.AfterFunc(reportAfter, e.reportIdle)
	}
}

// reportIdle logs that the engine is not running, if that is still true.
func (e *engine) reportIdle() {
	e.idle.mu.Lock()
	defer e.idle.mu.Unlock()
	if e.stateNow() == engineNew {
		e.idle.log.See(faultlog.State{Kind: "not running", Err: errNotRun, Remedy: e.idle.remedy})
	}
}

// Synced returns a channel that is closed once the first list of every scope has been
// applied, or a snapshot file was loaded. From then on snapshots are complete.
func (i *Informer[T]) Synced() <-chan struct{} {
	i.engine.expectRun()
	return i.engine.store.Synced()
}

// WaitForSync waits until the informer is synced.
//
// Errors: the cause of ctx, with the reason why the informer is not synced; ErrStopped if
// Run has ended before; ErrWaitInHandler.
func (i *Informer[T]) WaitForSync(ctx context.Context) error {
	if err := i.engine.checkWait(ctx); err != nil {
		return err
	}
	return i.engine.waitForSync(ctx)
}

func (e *engine) waitForSync(ctx context.Context) error {
	select {
	case <-e.store.Synced():
		return nil
	default:
	}
	select {
	case <-e.store.Synced():
		return nil
	case <-e.stopped.Done():
		return ErrStopped
	case <-ctx.Done():
		h, _ := e.health()
		return fmt.Errorf("%s: %w", e.cfg.Resource, errors.Join(h.Ready(), context.Cause(ctx)))
	}
}

// WaitFor waits until the informer has reached a version, such as that of a written object,
// so that a writer can read its own write. Versions are comparable only within one cluster
// and type. If the server does not order the versions of the type
// (reflector.Health.Order), WaitFor proves nothing.
//
// Errors: the cause of ctx; ErrWaitInHandler.
func (i *Informer[T]) WaitFor(ctx context.Context, version wire.Version) error {
	if err := i.engine.checkWait(ctx); err != nil {
		return err
	}
	return i.engine.store.WaitFor(ctx, version)
}
