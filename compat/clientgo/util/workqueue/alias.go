package workqueue

import (
	clientgo "k8s.io/client-go/util/workqueue"
)

// Types of client-go that are used as they are.
type (
	// TypedInterface is a queue.
	TypedInterface[T comparable] = clientgo.TypedInterface[T]
	// TypedDelayingInterface is a queue with delays.
	TypedDelayingInterface[T comparable] = clientgo.TypedDelayingInterface[T]
	// TypedRateLimitingInterface is a queue with a rate limiter.
	TypedRateLimitingInterface[T comparable] = clientgo.TypedRateLimitingInterface[T]
	// TypedRateLimiter says how long a retry of an item waits.
	TypedRateLimiter[T comparable] = clientgo.TypedRateLimiter[T]
	// Queue is the order of client-go's own queue.
	Queue[T comparable] = clientgo.Queue[T]
	// TypedQueueConfig configures a queue.
	TypedQueueConfig[T comparable] = clientgo.TypedQueueConfig[T]
	// TypedDelayingQueueConfig configures a delaying queue.
	TypedDelayingQueueConfig[T comparable] = clientgo.TypedDelayingQueueConfig[T]
	// TypedRateLimitingQueueConfig configures a rate-limited queue.
	TypedRateLimitingQueueConfig[T comparable] = clientgo.TypedRateLimitingQueueConfig[T]
	// TypedBucketRateLimiter limits retries of all items together.
	TypedBucketRateLimiter[T comparable] = clientgo.TypedBucketRateLimiter[T]
	// TypedItemExponentialFailureRateLimiter doubles the delay of an item with each retry.
	TypedItemExponentialFailureRateLimiter[T comparable] = clientgo.TypedItemExponentialFailureRateLimiter[T]
	// TypedItemFastSlowRateLimiter delays an item briefly at first, and longer later.
	TypedItemFastSlowRateLimiter[T comparable] = clientgo.TypedItemFastSlowRateLimiter[T]
	// TypedMaxOfRateLimiter takes the longest delay of several limiters.
	TypedMaxOfRateLimiter[T comparable] = clientgo.TypedMaxOfRateLimiter[T]
	// TypedWithMaxWaitRateLimiter bounds the delay of another limiter.
	TypedWithMaxWaitRateLimiter[T comparable] = clientgo.TypedWithMaxWaitRateLimiter[T]
	// MetricsProvider makes the metrics of a queue.
	MetricsProvider = clientgo.MetricsProvider
	// GaugeMetric goes up and down.
	GaugeMetric = clientgo.GaugeMetric
	// SettableGaugeMetric is set.
	SettableGaugeMetric = clientgo.SettableGaugeMetric
	// CounterMetric goes up.
	CounterMetric = clientgo.CounterMetric
	// SummaryMetric observes values.
	SummaryMetric = clientgo.SummaryMetric
	// HistogramMetric observes values.
	HistogramMetric = clientgo.HistogramMetric
	// DoWorkPieceFunc does one piece of the work of ParallelizeUntil.
	DoWorkPieceFunc = clientgo.DoWorkPieceFunc
	// Options configures ParallelizeUntil.
	Options = clientgo.Options
)
