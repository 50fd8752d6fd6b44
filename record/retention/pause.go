package retention

import (
	"context"
	"time"
)

// A step takes about stepTime, and the pause after it pauseFactor times as long: a
// quarter of the time at most is taken from writers.
const (
	stepTime    = 50 * time.Millisecond
	pauseFactor = 3
)

// pause waits.
//
// Errors: the cause of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
