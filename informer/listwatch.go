package informer

import (
	"context"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/clusterid"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// listWatch is the list and watch of one scope. engine.mu guards the fields after guard;
// only reconcile starts and stops it.
type listWatch struct {
	scope   delta.Scope
	cluster *clusterState
	source  reflector.Source
	guard   *clusterid.Guard // wraps source

	reflector *reflector.Reflector
	leaving   bool               // reconcile is about to stop it
	succeeds  bool               // its list will replace narrower scopes
	listed    *delta.Delta       // the End of that list, held back
	cancel    context.CancelFunc // nil if it is not running
	done      chan struct{}
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
	e.producers.start(func(context.Context) {
		defer close(done)
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

// reflect creates the reflector of a scope. It resumes at a version or, if the version
// is zero, begins with a list.
func (e *engine) reflect(lw *listWatch, sink reflector.Sink, resume wire.Version) (*reflector.Reflector, error) {
	cfg := e.cfg.Reflector
	cfg.Scope, cfg.Resume, cfg.NeverList = lw.scope, resume, false
	return reflector.New(lw.guard, sink, cfg)
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
