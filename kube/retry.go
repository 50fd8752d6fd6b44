package kube

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/internal/pause"
)

// These constants bound how long a client waits for a busy server.
const (
	maxBusyRetries = 10 // retries of one call after answers with 429
	maxBusyWait    = time.Minute
)

// retryBusy repeats do while the server answers that it is busy (429) and when to retry.
// Such an answer means that the request had no effect. A requested wait of more than a
// minute, or an eleventh such answer, is an error.
func (c *Cluster) retryBusy(ctx context.Context, do func() error) error {
	for n := 0; ; n++ {
		err := do()
		wait := busyWait(err)
		if wait > maxBusyWait {
			return fmt.Errorf("%w; the server requested a wait of %v, but a client waits for at most %v", err, wait, maxBusyWait)
		}
		if wait == 0 || n == maxBusyRetries {
			return err
		}
		if stopped := pause.For(ctx, wait); stopped != nil {
			return fmt.Errorf("%w; while waiting to retry: %w", err, stopped)
		}
	}
}

// throttle waits for the rate limit of the configuration, if there is one.
func (c *Cluster) throttle(ctx context.Context) error {
	if c.limiter == nil {
		return nil
	}
	if err := c.limiter.Wait(ctx); err != nil {
		return fmt.Errorf("wait for the rate limit of the configuration: %w", err)
	}
	return nil
}

// busyWait returns the wait that a server requests, or 0 if it requests none.
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
