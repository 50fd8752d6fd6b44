package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/store"
)

// TestViewIsNotBehind checks that a view includes everything that its caller has waited
// for, or has seen in a snapshot, before.
func TestViewIsNotBehind(t *testing.T) {
	var g store.Group
	stores := []*store.Store{store.New(store.Config{Group: &g}), store.New(store.Config{Group: &g})}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var readers, writers sync.WaitGroup
	for _, s := range stores {
		apply(t, s, begin, end(1))
		for range 2 {
			readers.Go(func() {
				for ctx.Err() == nil {
					now := s.Snapshot().Version()
					if got := s.In(g.View()).Version(); got < now {
						t.Errorf("got version %v in the view after version %v in the snapshot", got, now)
						return
					}
					if s.WaitFor(ctx, now+1) == nil && s.In(g.View()).Version() <= now {
						t.Errorf("the view does not have version %v, for which WaitFor has returned", now+1)
						return
					}
				}
			})
		}
		writers.Go(func() {
			for v := range 20_000 {
				apply(t, s, upsert(fmt.Sprint("a", v%10), "1", v+2))
			}
		})
	}
	writers.Wait()
	cancel()
	readers.Wait()
}
