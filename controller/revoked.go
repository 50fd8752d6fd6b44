package controller

import (
	"context"
	"time"
)

// revoked are reconciles that have lost their keys and must end.
type revoked []chan struct{}

// wait waits until all have ended, but not after a time or after ctx is done. It reports
// whether they have ended.
func (l revoked) wait(ctx context.Context, until time.Time) bool {
	t := time.NewTimer(time.Until(until))
	defer t.Stop()
	for _, ended := range l {
		select {
		case <-ended:
		case <-t.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// join waits until all have ended.
func (l revoked) join() {
	for _, ended := range l {
		<-ended
	}
}
