package informer

import (
	"context"

	"github.com/vedette-io/vedette/delta"
)

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
