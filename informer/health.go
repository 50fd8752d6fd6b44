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

// Health describes an informer at one instant.
type Health struct {
	// Health is the worst health of all scopes. A fault is worse than no fault, and an
	// unsynced scope is worse than a synced one.
	reflector.Health
	// Scopes describes all followed scopes, ordered by cluster and namespace.
	Scopes []ScopeHealth
	// NotRun is an error that names the method to call if Run was not called yet; else
	// nil.
	NotRun error
	// ColdStart is the error that prevented the use of the snapshot file; nil if the file
	// was used or did not exist.
	ColdStart error
	// Handlers describes the handlers in the order of their registration.
	Handlers []HandlerHealth
	// Stored is the delay between reading an event from the connection and its
	// appearance in the store. Handled is the delay until the call of a handler.
	Stored, Handled Lag
}

// ScopeHealth describes the list and watch of one scope.
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

// worse reports whether a is worse than b.
func worse(a, b *reflector.Health) bool {
	if (a.Err != nil) != (b.Err != nil) {
		return a.Err != nil
	}
	return !a.Synced && b.Synced
}
