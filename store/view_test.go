package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/store"
)

// TestViewIsNotBehind: who has waited until a store shows something, or has seen it
// in its snapshot, finds it in every view taken after that.
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
						t.Errorf("the view shows version %v after the snapshot has shown %v", got, now)
						return
					}
					if s.WaitFor(ctx, now+1) == nil && s.In(g.View()).Version() <= now {
						t.Errorf("the view does not show version %v, which was waited for", now+1)
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
