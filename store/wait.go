package store

import (
	"context"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// WaitFor waits until every scope of the store has reached a version, for example the
// version of a written object. The store then shows that write or a later one. If a
// selector excludes the object, only a bookmark (about one a minute) or another event
// advances the version.
//
// Errors: the cause of ctx.
func (s *Store) WaitFor(ctx context.Context, version wire.Version) error {
	return s.WaitUntil(ctx, func(now *Snapshot) bool { return len(now.scopes) > 0 && now.Version() >= version })
}

// WaitForScope is WaitFor for one scope. Use it if the other scopes do not matter, or if
// their versions cannot be compared.
func (s *Store) WaitForScope(ctx context.Context, scope delta.Scope, version wire.Version) error {
	return s.WaitUntil(ctx, func(now *Snapshot) bool {
		v := now.Reached(scope)
		return v != 0 && v >= version
	})
}

// Waiting returns the number of pending calls of WaitUntil, WaitFor and WaitForScope.
func (s *Store) Waiting() int { return int(s.waiters.count.Load()) }

// WaitUntil waits for a snapshot that satisfies a condition. The condition is called on
// the caller's goroutine, and then on the goroutine that writes to the store. It must be
// fast and must not write to the store.
//
// Errors: the cause of ctx.
func (s *Store) WaitUntil(ctx context.Context, satisfied func(*Snapshot) bool) error {
	w := &wait{satisfied, make(chan struct{})}
	s.waiters.mu.Lock()
	if s.waiters.all == nil {
		s.waiters.all = map[*wait]struct{}{}
	}
	s.waiters.all[w] = struct{}{}
	s.waiters.count.Add(1)
	s.waiters.mu.Unlock()
	defer func() {
		s.waiters.mu.Lock()
		defer s.waiters.mu.Unlock()
		delete(s.waiters.all, w)
		s.waiters.count.Add(-1)
	}()
	if satisfied(s.Snapshot()) { // checked after the registration, so that no snapshot is missed
		return nil
	}
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
