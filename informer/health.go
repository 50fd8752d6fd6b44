package informer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/reflector"
)

// Health is how an informer is, as a value.
type Health struct {
	// Health is that of the scope which is worst: one that has a fault before one
	// that has none, one that is not synced before one that is.
	reflector.Health
	// Scopes are all that are followed, ordered by cluster and namespace.
	Scopes []ScopeHealth
	// NotRun is set if nobody has called Run yet, and names the method to call; else
	// nil.
	NotRun error
	// ColdStart says why the snapshot file could not be used; nil if it was, or
	// there was none.
	ColdStart error
	// Handlers are those that are registered, in order.
	Handlers []HandlerHealth
	// Stored and Handled are the times from an event's being read off the
	// connection to the store's showing it, and to a handler's being called.
	Stored, Handled Lag
}

// ScopeHealth is how the list and watch of one scope is.
type ScopeHealth struct {
	Scope delta.Scope
	reflector.Health
}

// Ready returns nil if a first list of every scope has been applied and all scopes are
// followed. Otherwise it returns an error that names the scopes that are not ready, and
// why, for use in a readiness probe. An informer that was never run is not ready. A
// synced informer stays ready during a temporary fault, because its copy is still the
// best available.
func (h Health) Ready() error {
	if h.NotRun != nil {
		return h.NotRun
	}
	var not []string
	for _, s := range h.Scopes {
		switch {
		case s.Phase == reflector.Stopped:
			not = append(not, fmt.Sprintf("scope %v has been stopped", s.Scope))
		case !s.Synced && s.Err != nil:
			not = append(not, fmt.Sprintf("scope %v is not synced: %v", s.Scope, s.Err))
		case !s.Synced:
			not = append(not, fmt.Sprintf("scope %v is not synced: %v, %d objects so far", s.Scope, s.Phase, s.Listed))
		}
	}
	switch {
	case len(not) > 0:
		return errors.New(strings.Join(not, "; "))
	case h.Err != nil && h.Phase == reflector.Stopped:
		return h.Err
	}
	return nil
}

// health returns how the engine is, and a channel that is closed at the next
// news.
func (e *engine) health() (Health, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := Health{ColdStart: e.coldStart, Stored: e.lags.store.read(), Handled: e.lags.handler.read()}
	if e.state == engineNew {
		h.NotRun = fmt.Errorf("%w: %s", errNotRun, e.idle.remedy)
	}
	for _, m := range e.listWatchesLocked() {
		one, _ := m.reflector.Health()
		if e.state == engineStopped && m.cancel == nil {
			one.Phase = reflector.Stopped // not started yet
		}
		h.Scopes = append(h.Scopes, ScopeHealth{m.scope, one})
	}
	slices.SortFunc(h.Scopes, func(a, b ScopeHealth) int {
		return strings.Compare(a.Scope.Cluster+"\x00"+a.Scope.Namespace, b.Scope.Cluster+"\x00"+b.Scope.Namespace)
	})
	for _, r := range e.registrations {
		h.Handlers = append(h.Handlers, r.health())
	}
	for i := range h.Scopes {
		if i == 0 || worse(&h.Scopes[i].Health, &h.Health) {
			h.Health = h.Scopes[i].Health
		}
	}
	return h, e.updated
}

// listWatchesLocked returns the wanted members, and the members that are followed until
// wanted ones replace them.
func (e *engine) listWatchesLocked() []*listWatch {
	all := slices.Collect(maps.Values(e.wanted))
	for scope, m := range e.active {
		if e.wanted[scope] == nil && !m.leaving {
			all = append(all, m)
		}
	}
	return all
}

func worse(a, b *reflector.Health) bool {
	if (a.Err != nil) != (b.Err != nil) {
		return a.Err != nil
	}
	return !a.Synced && b.Synced
}
