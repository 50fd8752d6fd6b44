package feed

import (
	"context"
	"math/rand/v2"
	"time"
)

// sleep waits for d. It returns false if ctx ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// jitter returns a random duration between d/2 and 3d/2, so that replicas do not run in
// step.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }
