package retention

import (
	"context"
	"time"
)

// A step takes about stepTime, and the pause after it takes pauseFactor times as long.
// Pruning therefore takes at most a quarter of the time from writers.
const (
	stepTime    = 50 * time.Millisecond
	pauseFactor = 3
)

// pause waits for d.
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
