package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Bounds of how long a client waits for a server that is too busy.
const (
	maxBusyRetries = 10 // answers 429 for one call
	maxBusyWait    = time.Minute
)

// retryBusy does something again where the server says that it is too busy (429)
// and when to come back: it has done nothing then. A wait of more than a minute,
// or the eleventh, is an error.
func (c *Cluster) retryBusy(ctx context.Context, do func() error) error {
	for n := 0; ; n++ {
		err := do()
		wait := busyWait(err)
		if wait > maxBusyWait {
			return fmt.Errorf("%w; the server asked for a wait of %v, and a client waits for %v at most", err, wait, maxBusyWait)
		}
		if wait == 0 || n == maxBusyRetries {
			return err
		}
		if stopped := sleep(ctx, wait); stopped != nil {
			return fmt.Errorf("%w; while waiting as the server asked: %w", err, stopped)
		}
	}
}

// throttle waits for the rate limit that the configuration has, if it has one.
func (c *Cluster) throttle(ctx context.Context) error {
	if c.limiter == nil {
		return nil
	}
	if err := c.limiter.Wait(ctx); err != nil {
		return fmt.Errorf("wait for the rate limit of the configuration: %w", err)
	}
	return nil
}

// busyWait returns how long a server wants to be left alone; 0 where it did not say.
func busyWait(err error) time.Duration {
	var refused apierrors.APIStatus
	if !apierrors.IsTooManyRequests(err) || !errors.As(err, &refused) {
		return 0
	}
	d := refused.Status().Details
	if d == nil || d.RetryAfterSeconds <= 0 {
		return 0
	}
	return time.Duration(d.RetryAfterSeconds) * time.Second
}

// sleep waits, and returns why it stopped if the context ended first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
