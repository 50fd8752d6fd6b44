package contest

import (
	"context"
	"errors"
	"iter"
	"sync"
)

// runAll runs caches until ctx is done.
func runAll(ctx context.Context, all iter.Seq[Cache]) error {
	var (
		work sync.WaitGroup
		mu   sync.Mutex
		errs []error
	)
	for c := range all {
		work.Go(func() {
			if err := c.Run(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	work.Wait()
	return errors.Join(errs...)
}

// whenAll returns a channel that is closed when all others are.
func whenAll(all []<-chan struct{}) <-chan struct{} {
	if len(all) == 1 {
		return all[0]
	}
	done := make(chan struct{})
	go func() {
		for _, c := range all {
			<-c
		}
		close(done)
	}()
	return done
}
