package record

import (
	"context"
	"time"
)

// The delay between attempts to write a batch doubles from firstDelay to maxDelay.
const (
	firstDelay = 100 * time.Millisecond
	maxDelay   = 5 * time.Second
)

// nextDelay returns the delay that follows d.
func nextDelay(d time.Duration) time.Duration { return min(2*d, maxDelay) }

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
