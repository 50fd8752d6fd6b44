// Package informerset keeps the informers of a factory: it makes each once, starts those
// that are new, waits for them, and waits for their end.
//
// # Data flow
//
// A factory asks for the informer of a key. Start runs all that do not run yet.
//
// # Ownership
//
// Any goroutine may use a Set. The Set owns the goroutines that run informers.
//
// # Guarantees
//
// A key has one informer. Wait covers the informers that were started before it was
// called. Shutdown returns when all of them have ended.
//
// # Limits
//
// An informer that has ended is not started again.
//
// # Errors
//
// Wait returns the cause of its context if an informer was not synced before it ended.
package informerset

import (
	"context"
	"sync"

	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo/internal/synced"
)

// Set is the informers of a factory. The zero value is empty.
type Set[K comparable] struct {
	mu      sync.Mutex
	all     map[K]cache.SharedIndexInformer
	started map[K]bool
	running sync.WaitGroup
	ended   bool
}

// Get returns the informer of a key. The first call for a key makes it.
func (s *Set[K]) Get(key K, make func() cache.SharedIndexInformer) cache.SharedIndexInformer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if inf, ok := s.all[key]; ok {
		return inf
	}
	if s.all == nil {
		s.all, s.started = map[K]cache.SharedIndexInformer{}, map[K]bool{}
	}
	inf := make()
	s.all[key] = inf
	return inf
}

// Start runs the informers that do not run yet until ctx is done. After Shutdown it does
// nothing.
func (s *Set[K]) Start(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	for key, inf := range s.all {
		if !s.started[key] {
			s.started[key] = true
			s.running.Go(func() { inf.RunWithContext(ctx) })
		}
	}
}

// Wait waits until the informers that were started are synced, or ctx is done. It
// returns which of them are.
//
// Errors: the cause of ctx, if not all are.
func (s *Set[K]) Wait(ctx context.Context) (done map[K]bool, err error) {
	done = map[K]bool{}
	waiting := map[K]cache.SharedIndexInformer{}
	s.mu.Lock()
	for key := range s.started {
		waiting[key] = s.all[key]
	}
	s.mu.Unlock()
	for key, inf := range waiting {
		if done[key] = synced.Wait(ctx, inf); !done[key] {
			err = context.Cause(ctx)
		}
	}
	return done, err
}

// Shutdown waits until all informers have ended, and lets no other start. It may be
// called more than once.
func (s *Set[K]) Shutdown() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.running.Wait()
}
