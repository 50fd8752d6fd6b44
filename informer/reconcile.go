package informer

import (
	"context"
	"sync"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/reflector"
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

// startLocked starts a list and watch at the version that the store has for its scope,
// from a file or a wider scope. Without such a version it lists first. If its list
// replaces narrower scopes, the End of the list is held back.
func (e *engine) startLocked(ctx context.Context, lw *listWatch) {
	resume := e.store.Snapshot().Reached(lw.scope)
	if lw.cluster.unordered.Load() {
		resume = 0
	}
	var sink reflector.Sink = e.queue
	if lw.succeeds = resume == 0 && len(e.narrowerLocked(lw)) > 0; lw.succeeds {
		sink = successorSink{e, lw}
	}
	if lw.restored && resume > 0 {
		lw.check = &contentCheck{source: lw.guard, scope: lw.scope, store: e.store, wire: e.cfg.Reflector.Wire, sink: sink, log: e.log(
			"informer: the objects of the snapshot file cannot be compared with those of the server, which may show other content",
			"informer: the objects of the snapshot file are compared", "scope", lw.scope.String())}
		sink = lw.check
	}
	lw.restored = false
	r, err := e.reflect(lw, sink, resume)
	if err != nil { // cannot happen: listWatchLocked has used the same configuration
		e.cfg.logger().Error("informer: cannot start to list and watch", "scope", lw.scope.String(), "err", err)
		return
	}
	lw.reflector = r
	e.runLocked(ctx, lw)
}

// runLocked runs the reflector of a scope, and a goroutine that reports changes of its
// health.
func (e *engine) runLocked(ctx context.Context, lw *listWatch) {
	r, done := lw.reflector, make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	lw.cancel, lw.done = cancel, done
	check := lw.check
	e.producers.start(func(context.Context) {
		defer close(done)
		var checking sync.WaitGroup
		defer checking.Wait()
		defer cancel()
		if check != nil {
			checking.Go(func() { check.run(ctx, func() delta.Order { h, _ := r.Health(); return h.Order }) })
		}
		if err := r.Run(ctx); err != nil {
			e.cfg.logger().Error("informer: list and watch have ended", "scope", lw.scope.String(), "err", err)
		}
	})
	e.producers.start(func(context.Context) { e.reportHealth(lw, r, done) })
}

// reportHealth logs the faults of a scope and passes changes of its health on, until
// done is closed.
func (e *engine) reportHealth(lw *listWatch, r *reflector.Reflector, done <-chan struct{}) {
	log := e.listWatchLog(lw)
	defer log.stop()
	order := delta.ByVersion
	for {
		h, changed := r.Health()
		log.see(h)
		if err := permanentError(e.cfg.Missing, e.cfg.FieldSelector, e.began, h); err != nil && !e.several {
			e.fail(err)
		}
		if h.Order != order {
			order = h.Order
			lw.cluster.unordered.Store(order == delta.ByArrival)
			e.cfg.logger().Warn("the server does not order resource versions: events are applied in the order of arrival, and each watch is followed by a list",
				"resource", e.cfg.Resource, "scope", lw.scope.String())
		}
		e.notify()
		select {
		case <-changed:
		case <-done:
			e.notify()
			return
		}
	}
}

// halt stops the reflector of a scope. When halt returns, everything that the reflector
// has read is in the queue.
func (e *engine) halt(lw *listWatch) {
	e.mu.Lock()
	cancel, done := lw.cancel, lw.done
	e.mu.Unlock()
	if cancel != nil {
		cancel()
		<-done
	}
}

// A change from some namespaces to all is a handover: the list and watch of all
// namespaces, the successor, replaces those of single namespaces once it has its list.

// successorLocked returns the list and watch of all namespaces that will replace lw; nil
// if there is none.
func (e *engine) successorLocked(lw *listWatch) *listWatch {
	successor := e.wanted[delta.Scope{Cluster: lw.scope.Cluster}]
	if successor == nil || successor.cluster != lw.cluster || !successor.scope.Contains(lw.scope) {
		return nil
	}
	return successor
}

// narrowerLocked returns the lists and watches that a successor replaces.
func (e *engine) narrowerLocked(successor *listWatch) []*listWatch {
	var all []*listWatch
	for _, other := range e.active {
		if other.cluster == successor.cluster && successor.scope.Contains(other.scope) && e.wanted[other.scope] != other {
			all = append(all, other)
		}
	}
	return all
}

// successorSink is the sink of a successor. It holds back the End of the list, and the
// watch after it, until the narrower watches have ended: their events must come first.
type successorSink struct {
	engine    *engine
	successor *listWatch
}

// Put implements reflector.Sink.
func (s successorSink) Put(ctx context.Context, d delta.Delta) error {
	if d.Kind != delta.End {
		return s.engine.queue.Put(ctx, d)
	}
	s.engine.mu.Lock()
	s.successor.listed = &d
	s.engine.mu.Unlock()
	s.engine.wake()
	<-ctx.Done()
	return context.Cause(ctx)
}

// handOverLocked stops the narrower watches, publishes the list of the successor, and
// lets it resume at the oldest version of the narrower watches: it sees every event that
// they would have seen.
func (e *engine) handOverLocked(successor *listWatch) func(context.Context) error {
	before := e.narrowerLocked(successor)
	for _, lw := range before {
		lw.leaving = true
		successor.guard.Inherit(lw.guard)
	}
	return func(ctx context.Context) error {
		e.halt(successor)
		deltas := []delta.Delta{*successor.listed}
		for _, lw := range before {
			e.halt(lw)
			deltas = append(deltas, delta.Delta{Kind: delta.Leave, Scope: lw.scope})
		}
		if err := e.publish(ctx, deltas...); err != nil {
			return err
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, lw := range before {
			delete(e.active, lw.scope)
		}
		successor.succeeds, successor.listed, successor.cancel = false, nil, nil
		e.notifyLocked()
		return nil
	}
}
