package workqueue

import (
	"time"

	"github.com/vedette-io/vedette/compat/internal/queue"
)

// delaying is a queue with delays.
type delaying[T comparable] struct {
	TypedInterface[T]
	delays  *queue.Delays[T]
	retries *queue.Retries
}

// NewTypedDelayingQueue returns a delaying queue without metrics.
func NewTypedDelayingQueue[T comparable]() TypedDelayingInterface[T] {
	return NewTypedDelayingQueueWithConfig(TypedDelayingQueueConfig[T]{})
}

// NewTypedDelayingQueueWithConfig returns a delaying queue, on config.Queue if it
// is set.
func NewTypedDelayingQueueWithConfig[T comparable](config TypedDelayingQueueConfig[T]) TypedDelayingInterface[T] {
	if config.Queue == nil {
		config.Queue = NewTypedWithConfig(TypedQueueConfig[T]{
			Name: config.Name, MetricsProvider: config.MetricsProvider, Clock: config.Clock,
		})
	}
	return &delaying[T]{
		TypedInterface: config.Queue,
		delays:         queue.NewDelays(config.Clock, config.Queue.Add),
		retries:        queue.NewRetries(config.Name, config.MetricsProvider),
	}
}

// AddAfter adds an item once the delay is over.
func (d *delaying[T]) AddAfter(item T, delay time.Duration) {
	if d.ShuttingDown() {
		return
	}
	d.retries.Count()
	if delay <= 0 {
		d.Add(item)
		return
	}
	d.delays.Put(item, delay)
}

// ShutDown shuts down the queue, and drops what is delayed.
func (d *delaying[T]) ShutDown() {
	d.TypedInterface.ShutDown()
	d.stop()
}

// ShutDownWithDrain drops what is delayed, and drains the queue.
func (d *delaying[T]) ShutDownWithDrain() {
	d.TypedInterface.ShutDownWithDrain()
	d.stop()
}

func (d *delaying[T]) stop() {
	d.delays.Stop()
	d.retries.Stop()
}
