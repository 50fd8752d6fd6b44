package informer

import (
	"context"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/clusterid"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// member is one list and watch of an engine. engine.mu guards the fields after source;
// only the keeper starts and ends members.
type member struct {
	scope  delta.Scope
	place  *place
	source reflector.Source
	guard  *clusterid.Guard // wraps source

	reflector *reflector.Reflector
	leaving   bool               // the keeper is about to end it
	heir      bool               // its list will replace narrower members
	listed    *delta.Delta       // the End of that list, held back
	cancel    context.CancelFunc // nil if the member is not running
	done      chan struct{}
}

// keep brings the members in line with the plan, one step at a time, until ctx is done.
// It alone starts and ends members of a running engine, so the plan may change at any
// time and in any order.
func (e *engine) keep(ctx context.Context) {
	for {
		for step := e.nextStep(ctx); step != nil; step = e.nextStep(ctx) {
			if err := step(ctx); err != nil {
				return // ctx is done
			}
		}
		select {
		case <-e.changed:
		case <-ctx.Done():
			return
		}
	}
}

// nextStep starts the members that can be started, and returns the next step; nil if
// there is nothing to do.
func (e *engine) nextStep(ctx context.Context) func(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	e.admitLocked()
	for scope, m := range e.wanted {
		wider := e.active[delta.Scope{Cluster: scope.Cluster}]
		if e.active[scope] != m || m.cancel != nil || wider != nil && wider.scope.Contains(scope) {
			continue // it resumes where the wider member ends
		}
		e.startLocked(ctx, m)
	}
	for scope, m := range e.active {
		if e.wanted[scope] == m {
			continue
		}
		heir := e.heirLocked(m)
		switch {
		case heir == nil || !heir.heir:
			m.leaving = true
			return func(ctx context.Context) error { return e.retire(ctx, m) }
		case heir.listed != nil:
			return e.handOverLocked(heir)
		}
	}
	return nil
}

// heirLocked returns the member that will follow all namespaces of a place while m
// follows one of them: m continues until that member has its list.
func (e *engine) heirLocked(m *member) *member {
	heir := e.wanted[delta.Scope{Cluster: m.scope.Cluster}]
	if heir == nil || heir.place != m.place || !heir.scope.Contains(m.scope) {
		return nil
	}
	return heir
}

// startLocked starts a member at the version that the store has for it, from a file or
// a wider scope. Without such a version the member lists first. If its list replaces
// narrower members, the End of the list is held back.
func (e *engine) startLocked(ctx context.Context, m *member) {
	resume := e.store.Snapshot().Reached(m.scope)
	if m.place.unordered.Load() {
		resume = 0
	}
	var sink reflector.Sink = e.queue
	if m.heir = resume == 0 && len(e.narrowerLocked(m)) > 0; m.heir {
		sink = heirSink{e, m}
	}
	r, err := e.reflect(m, sink, resume)
	if err != nil { // cannot fail: the member was created with the same configuration
		e.cfg.logger().Error("reflector cannot be started", "scope", m.scope.String(), "err", err)
		return
	}
	m.reflector = r
	e.runLocked(ctx, m)
}

// runLocked runs the reflector of a member, and passes changes of its health on, also
// to the log.
func (e *engine) runLocked(ctx context.Context, m *member) {
	r, done := m.reflector, make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	m.cancel, m.done = cancel, done
	e.following.start(func(context.Context) {
		defer close(done)
		if err := r.Run(ctx); err != nil {
			e.cfg.logger().Error("reflector ended", "scope", m.scope.String(), "err", err)
		}
	})
	e.following.start(func(context.Context) {
		log := e.memberLog(m)
		defer log.stop()
		order := delta.ByVersion
		for {
			h, changed := r.Health()
			log.see(h)
			if h.Order != order {
				order = h.Order
				m.place.unordered.Store(order == delta.ByArrival)
				e.cfg.logger().Warn("the server does not order resource versions: events are taken as they come, and everything is listed after each watch",
					"resource", e.cfg.Resource, "scope", m.scope.String())
			}
			e.tell()
			select {
			case <-changed:
			case <-done:
				e.tell()
				return
			}
		}
	})
}

// reflect creates the reflector of a member. It resumes at a version or, if the version
// is zero, begins with a list.
func (e *engine) reflect(m *member, sink reflector.Sink, resume wire.Version) (*reflector.Reflector, error) {
	cfg := e.cfg.Reflector
	cfg.Scope, cfg.Resume, cfg.Lists = m.scope, resume, reflector.ListWhenNeeded
	return reflector.New(m.guard, sink, cfg)
}

// narrowerLocked returns the members of a place that a member for all namespaces
// replaces.
func (e *engine) narrowerLocked(m *member) []*member {
	var all []*member
	for _, other := range e.active {
		if other.place == m.place && m.scope.Contains(other.scope) && e.wanted[other.scope] != other {
			all = append(all, other)
		}
	}
	return all
}

// heirSink is the sink of a member whose list replaces narrower members. It holds back
// the End of the list, and the watch after it, until the narrower members have ended:
// their events must come first.
type heirSink struct {
	engine *engine
	member *member
}

// Put implements reflector.Sink.
func (s heirSink) Put(ctx context.Context, d delta.Delta) error {
	if d.Kind != delta.End {
		return s.engine.queue.Put(ctx, d)
	}
	s.engine.mu.Lock()
	s.member.listed = &d
	s.engine.mu.Unlock()
	s.engine.remind()
	<-ctx.Done()
	return context.Cause(ctx)
}

// handOverLocked ends the members that an heir replaces, publishes its list, and lets
// it resume at the oldest version of these members: it sees every event that they would
// have seen.
func (e *engine) handOverLocked(heir *member) func(context.Context) error {
	before := e.narrowerLocked(heir)
	for _, m := range before {
		m.leaving = true
		heir.guard.Inherit(m.guard)
	}
	return func(ctx context.Context) error {
		e.halt(heir)
		deltas := []delta.Delta{*heir.listed}
		for _, m := range before {
			e.halt(m)
			deltas = append(deltas, delta.Delta{Kind: delta.Leave, Scope: m.scope})
		}
		if err := e.shown(ctx, deltas...); err != nil {
			return err
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, m := range before {
			delete(e.active, m.scope)
		}
		heir.heir, heir.listed, heir.cancel = false, nil, nil
		e.tellLocked()
		return nil
	}
}

// retire ends a member, and drops the objects that no other member has.
func (e *engine) retire(ctx context.Context, m *member) error {
	e.halt(m)
	if err := e.shown(ctx, delta.Delta{Kind: delta.Leave, Scope: m.scope}); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.active, m.scope)
	e.tellLocked()
	return nil
}

// halt ends the reflector of a member. When halt returns, everything that the reflector
// has read is in the queue.
func (e *engine) halt(m *member) {
	e.mu.Lock()
	cancel, done := m.cancel, m.done
	e.mu.Unlock()
	if cancel != nil {
		cancel()
		<-done
	}
}

// shown puts deltas into the queue and waits until the store shows them. The last delta
// must be a Leave.
func (e *engine) shown(ctx context.Context, deltas ...delta.Delta) error {
	for _, d := range deltas {
		if err := e.queue.Put(ctx, d); err != nil {
			return err
		}
	}
	last := deltas[len(deltas)-1].Scope
	return e.store.WaitUntil(ctx, func(now *store.Snapshot) bool { return !now.Follows(last) })
}
