package informer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/reflector"
)

// health returns the current health, and a channel that is closed at its next change.
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
	for _, b := range e.blockers {
		if one := b.health(); !one.Since.IsZero() {
			h.Blocking = append(h.Blocking, one)
		}
	}
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

// listWatchesLocked returns the wanted lists and watches, and those that run until wanted
// ones replace them.
func (e *engine) listWatchesLocked() []*listWatch {
	all := slices.Collect(maps.Values(e.wanted))
	for scope, m := range e.active {
		if e.wanted[scope] == nil && !m.leaving {
			all = append(all, m)
		}
	}
	return all
}

// Health returns the current health, and a channel that is closed at its next change.
func (i *Informer[T]) Health() (Health, <-chan struct{}) { return i.engine.health() }
