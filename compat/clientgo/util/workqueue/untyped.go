package workqueue

//lint:file-ignore SA1019 deprecated names are names too

import (
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// Names from before queues had types.
type (
	// Interface is of any items.
	//
	// Deprecated: use TypedInterface.
	Interface = clientgo.Interface
	// DelayingInterface is of any items.
	//
	// Deprecated: use TypedDelayingInterface.
	DelayingInterface = clientgo.DelayingInterface
	// RateLimitingInterface is of any items.
	//
	// Deprecated: use TypedRateLimitingInterface.
	RateLimitingInterface = clientgo.RateLimitingInterface
	// RateLimiter is of any items.
	//
	// Deprecated: use TypedRateLimiter.
	RateLimiter = clientgo.RateLimiter
	// QueueConfig is of any items.
	//
	// Deprecated: use TypedQueueConfig.
	QueueConfig = TypedQueueConfig[any]
	// DelayingQueueConfig is of any items.
	//
	// Deprecated: use TypedDelayingQueueConfig.
	DelayingQueueConfig = TypedDelayingQueueConfig[any]
	// RateLimitingQueueConfig is of any items.
	//
	// Deprecated: use TypedRateLimitingQueueConfig.
	RateLimitingQueueConfig = TypedRateLimitingQueueConfig[any]
	// BucketRateLimiter is of any items.
	//
	// Deprecated: use TypedBucketRateLimiter.
	BucketRateLimiter = TypedBucketRateLimiter[any]
	// ItemExponentialFailureRateLimiter is of any items.
	//
	// Deprecated: use TypedItemExponentialFailureRateLimiter.
	ItemExponentialFailureRateLimiter = TypedItemExponentialFailureRateLimiter[any]
	// ItemFastSlowRateLimiter is of any items.
	//
	// Deprecated: use TypedItemFastSlowRateLimiter.
	ItemFastSlowRateLimiter = TypedItemFastSlowRateLimiter[any]
	// MaxOfRateLimiter is of any items.
	//
	// Deprecated: use TypedMaxOfRateLimiter.
	MaxOfRateLimiter = TypedMaxOfRateLimiter[any]
	// WithMaxWaitRateLimiter is of any items.
	//
	// Deprecated: use TypedWithMaxWaitRateLimiter.
	WithMaxWaitRateLimiter = TypedWithMaxWaitRateLimiter[any]
)

// New returns a queue without metrics.
//
// Deprecated: use NewTyped.
func New() *Type {
	return NewTyped[any]()
}

// NewNamed returns a queue with metrics.
//
// Deprecated: use NewTypedWithConfig.
func NewNamed(name string) *Type {
	return NewWithConfig(QueueConfig{Name: name})
}

// NewWithConfig returns a queue.
//
// Deprecated: use NewTypedWithConfig.
func NewWithConfig(config QueueConfig) *Type {
	return NewTypedWithConfig(config)
}

// NewDelayingQueue returns a delaying queue without metrics.
//
// Deprecated: use NewTypedDelayingQueue.
func NewDelayingQueue() DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{})
}

// NewDelayingQueueWithConfig returns a delaying queue.
//
// Deprecated: use NewTypedDelayingQueueWithConfig.
func NewDelayingQueueWithConfig(config DelayingQueueConfig) DelayingInterface {
	return NewTypedDelayingQueueWithConfig(config)
}

// TypedNewDelayingQueue returns a delaying queue without metrics.
//
// Deprecated: use NewTypedDelayingQueue.
func TypedNewDelayingQueue[T comparable]() TypedDelayingInterface[T] {
	return NewTypedDelayingQueue[T]()
}

// NewDelayingQueueWithCustomQueue returns a delaying queue on another queue.
//
// Deprecated: use NewTypedDelayingQueueWithConfig.
func NewDelayingQueueWithCustomQueue(q Interface, name string) DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{Name: name, Queue: q})
}

// NewNamedDelayingQueue returns a delaying queue with metrics.
//
// Deprecated: use NewTypedDelayingQueueWithConfig.
func NewNamedDelayingQueue(name string) DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{Name: name})
}

// NewDelayingQueueWithCustomClock returns a delaying queue with a clock.
//
// Deprecated: use NewTypedDelayingQueueWithConfig.
func NewDelayingQueueWithCustomClock(clock clock.WithTicker, name string) DelayingInterface {
	return NewDelayingQueueWithConfig(DelayingQueueConfig{Name: name, Clock: clock})
}

// NewRateLimitingQueue returns a rate-limited queue without metrics.
//
// Deprecated: use NewTypedRateLimitingQueue.
func NewRateLimitingQueue(rateLimiter RateLimiter) RateLimitingInterface {
	return NewRateLimitingQueueWithConfig(rateLimiter, RateLimitingQueueConfig{})
}

// NewRateLimitingQueueWithConfig returns a rate-limited queue.
//
// Deprecated: use NewTypedRateLimitingQueueWithConfig.
func NewRateLimitingQueueWithConfig(rateLimiter RateLimiter, config RateLimitingQueueConfig) RateLimitingInterface {
	return NewTypedRateLimitingQueueWithConfig(rateLimiter, config)
}

// NewNamedRateLimitingQueue returns a rate-limited queue with metrics.
//
// Deprecated: use NewTypedRateLimitingQueueWithConfig.
func NewNamedRateLimitingQueue(rateLimiter RateLimiter, name string) RateLimitingInterface {
	return NewRateLimitingQueueWithConfig(rateLimiter, RateLimitingQueueConfig{Name: name})
}

// NewRateLimitingQueueWithDelayingInterface returns a rate-limited queue on another queue.
//
// Deprecated: use NewTypedRateLimitingQueueWithConfig.
func NewRateLimitingQueueWithDelayingInterface(di DelayingInterface, rateLimiter RateLimiter) RateLimitingInterface {
	return NewRateLimitingQueueWithConfig(rateLimiter, RateLimitingQueueConfig{DelayingQueue: di})
}

// DefaultControllerRateLimiter returns the limiter that most controllers use.
//
// Deprecated: use DefaultTypedControllerRateLimiter.
func DefaultControllerRateLimiter() RateLimiter {
	return clientgo.DefaultControllerRateLimiter()
}

// DefaultItemBasedRateLimiter returns a limiter that counts the retries of each item.
//
// Deprecated: use DefaultTypedItemBasedRateLimiter.
func DefaultItemBasedRateLimiter() RateLimiter {
	return clientgo.DefaultItemBasedRateLimiter()
}

// NewItemExponentialFailureRateLimiter returns a limiter that doubles the delay with each retry.
//
// Deprecated: use NewTypedItemExponentialFailureRateLimiter.
func NewItemExponentialFailureRateLimiter(baseDelay, maxDelay time.Duration) RateLimiter {
	return clientgo.NewItemExponentialFailureRateLimiter(baseDelay, maxDelay)
}

// NewItemFastSlowRateLimiter returns a limiter with two delays.
//
// Deprecated: use NewTypedItemFastSlowRateLimiter.
func NewItemFastSlowRateLimiter(fastDelay, slowDelay time.Duration, maxFastAttempts int) RateLimiter {
	return clientgo.NewItemFastSlowRateLimiter(fastDelay, slowDelay, maxFastAttempts)
}

// NewMaxOfRateLimiter returns a limiter that takes the longest delay of several.
//
// Deprecated: use NewTypedMaxOfRateLimiter.
func NewMaxOfRateLimiter(limiters ...TypedRateLimiter[any]) RateLimiter {
	return clientgo.NewMaxOfRateLimiter(limiters...)
}

// NewWithMaxWaitRateLimiter returns a limiter that bounds another.
//
// Deprecated: use NewTypedWithMaxWaitRateLimiter.
func NewWithMaxWaitRateLimiter(limiter RateLimiter, maxDelay time.Duration) RateLimiter {
	return clientgo.NewWithMaxWaitRateLimiter(limiter, maxDelay)
}
