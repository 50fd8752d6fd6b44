package controllerruntime

import (
	"math"
	"sync"
	"time"

	"github.com/vedette-io/vedette/compat/internal/queue"
	"github.com/vedette-io/vedette/workqueue"

	clientgo "k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// NewQueue returns a queue for controller.Options.NewQueue. The name is that of the
// controller in the metrics. A nil limiter is controller-runtime's default: 5
// milliseconds, and twice as much with each retry of a request, up to 1000 seconds.
//
// The queue is a priorityqueue.PriorityQueue. It is controller-runtime's own if the metrics of
// the process cannot be reached in another version of client-go.
func NewQueue[request comparable](name string, limiter clientgo.TypedRateLimiter[request]) clientgo.TypedRateLimitingInterface[request] {
	if limiter == nil {
		limiter = clientgo.NewTypedItemExponentialFailureRateLimiter[request](5*time.Millisecond, 1000*time.Second)
	}
	metrics, err := queue.NewMetrics[request](name, nil, nil)
	if err != nil {
		return priorityqueue.New(name, func(o *priorityqueue.Opts[request]) { o.RateLimiter = limiter })
	}
	return &priorityQueue[request]{
		items:   queue.New(queue.Config[request]{Metrics: metrics, Abandon: true}),
		retries: queue.NewRetries(name, nil),
		limiter: limiter,
		guard:   queue.NewGuard[request](),
	}
}

// priorityQueue is our queue behind controller-runtime's interface.
type priorityQueue[request comparable] struct {
	items   *queue.Queue[request]
	retries *queue.Retries
	limiter clientgo.TypedRateLimiter[request]
	guard   queue.Guard[request] // because limiters use requests as keys
	end     sync.Once
}

var _ priorityqueue.PriorityQueue[string] = (*priorityQueue[string])(nil)

// AddWithOpts adds requests. The shorter of a delay and the limiter's delay counts.
func (q *priorityQueue[request]) AddWithOpts(o priorityqueue.AddOpts, items ...request) {
	if q.items.ShuttingDown() {
		return
	}
	add := workqueue.Options{Priority: priority(o.Priority)}
	for _, item := range items {
		add.After = o.After
		if o.RateLimited && q.guard.Comparable(item) {
			if after := q.limiter.When(item); add.After == 0 || after < add.After {
				add.After = after
			}
		}
		if add.After > 0 {
			q.retries.Count()
		}
		q.items.Add(item, add)
	}
}

// priority returns the nearest priority that the queue supports. controller-runtime 0.21 has a
// number where later versions have a pointer.
func priority[P int | *int](p P) int8 {
	var n int
	switch p := any(p).(type) {
	case int:
		n = p
	case *int:
		if p != nil {
			n = *p
		}
	}
	return int8(min(max(n, math.MinInt8), math.MaxInt8))
}

// Add adds a request with priority 0.
func (q *priorityQueue[request]) Add(item request) { q.items.Add(item, workqueue.Options{}) }

// AddAfter adds a request once the delay is over.
func (q *priorityQueue[request]) AddAfter(item request, after time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{After: after}, item)
}

// AddRateLimited adds a request once the limiter's delay is over.
func (q *priorityQueue[request]) AddRateLimited(item request) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, item)
}

// GetWithPriority waits for a request. It returns true if the queue is shut down.
func (q *priorityQueue[request]) GetWithPriority() (item request, priority int, shutdown bool) {
	w, ok := q.items.Get()
	return w.Item, int(w.Priority), !ok
}

// Get is GetWithPriority without the priority.
func (q *priorityQueue[request]) Get() (item request, shutdown bool) {
	w, ok := q.items.Get()
	return w.Item, !ok
}

// Done ends what Get began.
func (q *priorityQueue[request]) Done(item request) { q.items.Done(item) }

// Len returns the number of waiting requests.
func (q *priorityQueue[request]) Len() int { return q.items.Len() }

// Forget makes the limiter forget the retries of a request.
func (q *priorityQueue[request]) Forget(item request) {
	if q.guard.Comparable(item) {
		q.limiter.Forget(item)
	}
}

// NumRequeues returns the limiter's number of retries of a request.
func (q *priorityQueue[request]) NumRequeues(item request) int {
	if !q.guard.Comparable(item) {
		return 0
	}
	return q.limiter.NumRequeues(item)
}

// ShutDown ends the queue.
func (q *priorityQueue[request]) ShutDown() {
	q.items.ShutDown()
	q.end.Do(q.retries.Stop)
}

// ShutDownWithDrain hands out the waiting requests, and then ends the queue.
func (q *priorityQueue[request]) ShutDownWithDrain() {
	q.items.ShutDownWithDrain()
	q.end.Do(q.retries.Stop)
}

// ShuttingDown reports whether the queue was shut down.
func (q *priorityQueue[request]) ShuttingDown() bool { return q.items.ShuttingDown() }
