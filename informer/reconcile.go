package informer

import (
	"context"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
)

// reconcile starts and stops lists and watches, one step at a time, until they match the
// spec, and again after each change of the spec, until ctx is done. Nothing else starts
// or stops them while the engine runs, so the spec may change at any time.
func (e *engine) reconcile(ctx context.Context) {
	for {
		for step := e.nextStep(ctx); step != nil; step = e.nextStep(ctx) {
			if err := step(ctx); err != nil {
				return // ctx is done
			}
		}
		select {
		case <-e.wakeup:
		case <-ctx.Done():
			return
		}
	}
}

// nextStep starts the lists and watches that can be started, and returns the next step;
// nil if there is nothing to do.
func (e *engine) nextStep(ctx context.Context) func(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	e.admitLocked()
	for scope, lw := range e.wanted {
		wider := e.active[delta.Scope{Cluster: scope.Cluster}]
		if e.active[scope] != lw || lw.cancel != nil || wider != nil && wider.scope.Contains(scope) {
			continue // it resumes where the wider scope ends
		}
		e.startLocked(ctx, lw)
	}
	for scope, lw := range e.active {
		if e.wanted[scope] == lw {
			continue
		}
		successor := e.successorLocked(lw)
		switch {
		case successor == nil || !successor.succeeds:
			lw.leaving = true
			return func(ctx context.Context) error { return e.retire(ctx, lw) }
		case successor.listed != nil:
			return e.handOverLocked(successor)
		}
	}
	return nil
}

// retire stops a list and watch, and drops the objects that no other scope has.
func (e *engine) retire(ctx context.Context, lw *listWatch) error {
	e.halt(lw)
	if err := e.publish(ctx, delta.Delta{Kind: delta.Leave, Scope: lw.scope}); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.active, lw.scope)
	e.notifyLocked()
	return nil
}

// publish puts deltas into the queue and waits until the store shows them. The last
// delta must be a Leave.
func (e *engine) publish(ctx context.Context, deltas ...delta.Delta) error {
	for _, d := range deltas {
		if err := e.queue.Put(ctx, d); err != nil {
			return err
		}
	}
	last := deltas[len(deltas)-1].Scope
	return e.store.WaitUntil(ctx, func(now *store.Snapshot) bool { return !now.Follows(last) })
}
