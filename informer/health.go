package informer

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
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
	// Blocking describes the consumers of store.Lossless that the informer waits for. It
	// shows nothing new until they take their changes.
	Blocking []Blocking
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

// worse reports whether a is worse than b.
func worse(a, b *reflector.Health) bool {
	if (a.Err != nil) != (b.Err != nil) {
		return a.Err != nil
	}
	return !a.Synced && b.Synced
}

// HandlerHealth describes a handler at one instant.
type HandlerHealth struct {
	Name string
	// Synced reports that the handler has been called for all objects of the first lists.
	Synced bool
	// Waiting counts the events that the handler has taken and not handled yet.
	Waiting int
	// Called is the start of the current call of the handler; zero if no call is in
	// progress.
	Called time.Time
	// Lag reports whether the handler is behind by more than the backlog, and the effect
	// so far: see store.EveryChange.
	Lag store.Lag
	// Handled, Failures and Panics count events; LastErr is the last failure.
	Handled, Failures, Panics uint64
	LastErr                   error
}
