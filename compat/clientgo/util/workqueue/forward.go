package workqueue

import (
	"context"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
)

// DefaultQueue returns a storage for custom orders of client-go's own queue.
func DefaultQueue[T comparable]() Queue[T] {
	return clientgo.DefaultQueue[T]()
}

// DefaultTypedControllerRateLimiter returns the limiter that most controllers use.
func DefaultTypedControllerRateLimiter[T comparable]() TypedRateLimiter[T] {
	return clientgo.DefaultTypedControllerRateLimiter[T]()
}

// DefaultTypedItemBasedRateLimiter returns a limiter that counts the retries of each item.
func DefaultTypedItemBasedRateLimiter[T comparable]() TypedRateLimiter[T] {
	return clientgo.DefaultTypedItemBasedRateLimiter[T]()
}

// NewTypedItemExponentialFailureRateLimiter returns a limiter that doubles the delay with each retry.
func NewTypedItemExponentialFailureRateLimiter[T comparable](baseDelay, maxDelay time.Duration) TypedRateLimiter[T] {
	return clientgo.NewTypedItemExponentialFailureRateLimiter[T](baseDelay, maxDelay)
}

// NewTypedItemFastSlowRateLimiter returns a limiter with two delays.
func NewTypedItemFastSlowRateLimiter[T comparable](fastDelay, slowDelay time.Duration, maxFastAttempts int) TypedRateLimiter[T] {
	return clientgo.NewTypedItemFastSlowRateLimiter[T](fastDelay, slowDelay, maxFastAttempts)
}

// NewTypedMaxOfRateLimiter returns a limiter that takes the longest delay of several.
func NewTypedMaxOfRateLimiter[T comparable](limiters ...TypedRateLimiter[T]) TypedRateLimiter[T] {
	return clientgo.NewTypedMaxOfRateLimiter(limiters...)
}

// NewTypedWithMaxWaitRateLimiter returns a limiter that bounds another.
func NewTypedWithMaxWaitRateLimiter[T comparable](limiter TypedRateLimiter[T], maxDelay time.Duration) TypedRateLimiter[T] {
	return clientgo.NewTypedWithMaxWaitRateLimiter(limiter, maxDelay)
}

// ParallelizeUntil does pieces of work by several workers until the context is done.
func ParallelizeUntil(ctx context.Context, workers, pieces int, doWorkPiece DoWorkPieceFunc, opts ...Options) {
	clientgo.ParallelizeUntil(ctx, workers, pieces, doWorkPiece, opts...)
}

// WithChunkSize makes ParallelizeUntil hand out so many pieces at once.
func WithChunkSize(c int) Options {
	return clientgo.WithChunkSize(c)
}

// SetProvider sets the metrics provider of queues made later, in client-go as well. Only the
// first call in a process has an effect.
func SetProvider(metricsProvider MetricsProvider) {
	clientgo.SetProvider(metricsProvider)
}
