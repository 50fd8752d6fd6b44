package workqueue

import (
	clientgo "k8s.io/client-go/util/workqueue"

	"github.com/vedette-io/vedette/compat/internal/queue"
	engine "github.com/vedette-io/vedette/workqueue"
)

// Typed is a queue of items of a type.
type Typed[T comparable] struct {
	ours   *queue.Queue[T]
	theirs *clientgo.Typed[T] // used instead if we cannot replace its order or its metrics
}

// Type is a queue of items of any type.
//
// Deprecated: use Typed.
type Type = Typed[any]

var _ TypedInterface[any] = (*Type)(nil)

// NewTyped returns a queue without metrics.
func NewTyped[T comparable]() *Typed[T] { return NewTypedWithConfig(TypedQueueConfig[T]{}) }

// NewTypedWithConfig returns a queue. With config.Queue it is client-go's own.
func NewTypedWithConfig[T comparable](config TypedQueueConfig[T]) *Typed[T] {
	if config.Queue != nil {
		return &Typed[T]{theirs: clientgo.NewTypedWithConfig(config)}
	}
	metrics, err := queue.NewMetrics[T](config.Name, config.MetricsProvider, config.Clock)
	if err != nil {
		return &Typed[T]{theirs: clientgo.NewTypedWithConfig(config)}
	}
	return &Typed[T]{ours: queue.New(queue.Config[T]{Metrics: metrics, Plain: true})}
}

// Add adds an item. A waiting item keeps its position, and a handled item waits again after
// its Done. After a shutdown Add does nothing.
func (q *Typed[T]) Add(item T) {
	if q.theirs != nil {
		q.theirs.Add(item)
		return
	}
	q.ours.Add(item, engine.Options{})
}

// Len returns how many items wait.
func (q *Typed[T]) Len() int {
	if q.theirs != nil {
		return q.theirs.Len()
	}
	return q.ours.Len()
}

// Get waits for an item, which is the caller's until Done. It returns true if the
// queue is shut down and nothing waits.
func (q *Typed[T]) Get() (item T, shutdown bool) {
	if q.theirs != nil {
		return q.theirs.Get()
	}
	w, ok := q.ours.Get()
	return w.Item, !ok
}

// Done ends what Get began.
func (q *Typed[T]) Done(item T) {
	if q.theirs != nil {
		q.theirs.Done(item)
		return
	}
	q.ours.Done(item)
}

// ShutDown makes the queue reject further items. Waiting items are still handed out.
func (q *Typed[T]) ShutDown() {
	if q.theirs != nil {
		q.theirs.ShutDown()
		return
	}
	q.ours.ShutDown()
}

// ShutDownWithDrain is ShutDown, and waits until the items are done. ShutDown
// ends the wait, and so does a second in which no worker handles an item.
func (q *Typed[T]) ShutDownWithDrain() {
	if q.theirs != nil {
		q.theirs.ShutDownWithDrain()
		return
	}
	q.ours.ShutDownWithDrain()
}

// ShuttingDown reports whether the queue was shut down.
func (q *Typed[T]) ShuttingDown() bool {
	if q.theirs != nil {
		return q.theirs.ShuttingDown()
	}
	return q.ours.ShuttingDown()
}
