package workqueue

import "github.com/vedette-io/vedette/compat/internal/queue"

// limited is a delaying queue whose retries a limiter delays.
type limited[T comparable] struct {
	TypedDelayingInterface[T]
	limiter TypedRateLimiter[T]
	guard   queue.Guard[T] // limiters look items up
}

// NewTypedRateLimitingQueue returns a rate-limited queue without metrics. A worker
// calls Forget for an item that went well, or the limiter remembers it.
func NewTypedRateLimitingQueue[T comparable](rateLimiter TypedRateLimiter[T]) TypedRateLimitingInterface[T] {
	return NewTypedRateLimitingQueueWithConfig(rateLimiter, TypedRateLimitingQueueConfig[T]{})
}

// NewTypedRateLimitingQueueWithConfig returns a rate-limited queue, on
// config.DelayingQueue if it is set.
func NewTypedRateLimitingQueueWithConfig[T comparable](rateLimiter TypedRateLimiter[T], config TypedRateLimitingQueueConfig[T]) TypedRateLimitingInterface[T] {
	if config.DelayingQueue == nil {
		config.DelayingQueue = NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T]{
			Name: config.Name, MetricsProvider: config.MetricsProvider, Clock: config.Clock,
		})
	}
	return &limited[T]{TypedDelayingInterface: config.DelayingQueue, limiter: rateLimiter, guard: queue.NewGuard[T]()}
}

// AddRateLimited adds an item once the limiter's delay is over.
func (l *limited[T]) AddRateLimited(item T) {
	if l.guard.Admit(item) {
		l.AddAfter(item, l.limiter.When(item))
	}
}

// Forget makes the limiter forget the retries of an item.
func (l *limited[T]) Forget(item T) {
	if l.guard.Comparable(item) {
		l.limiter.Forget(item)
	}
}

// NumRequeues returns how many retries of an item the limiter knows.
func (l *limited[T]) NumRequeues(item T) int {
	if !l.guard.Comparable(item) {
		return 0
	}
	return l.limiter.NumRequeues(item)
}
