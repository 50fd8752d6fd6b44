// Package pause provides the one cancellable sleep of this module.
package pause

import (
	"context"
	"time"
)

// For waits for d. If ctx ends first, or has ended already, it returns the cause. A d of zero
// or less does not wait.
func For(ctx context.Context, d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}
