package contest

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/workqueue"

	clientgo "k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// Line is the queue of a contestant. Any goroutine may use it.
type Line interface {
	// Add adds an item, with a priority if the queue has them, and after a delay.
	Add(item string, priority int, after time.Duration)
	// AddAll adds several items in the cheapest way.
	AddAll(items []string)
	// Worker returns the functions of one worker. take waits for items, and returns their
	// number, and false if the line has stopped; done finishes them.
	Worker(batch bool) (take func() (int, bool), done func())
	// Stop ends the queue without waiting.
	Stop()
}

// Lines create the queues, by contestant. By default client-go and controller-runtime have
// no metrics; Vedette always has them. The floor has neither priorities nor delays.
var Lines = map[string]func() Line{
	"vedette": func() Line { return vedetteLine{workqueue.New(workqueue.Config[string]{})} },
	"client-go": func() Line {
		return clientGoLine{clientgo.NewTypedDelayingQueue[string]()}
	},
	"client-go-measured": func() Line {
		return clientGoLine{clientgo.NewTypedDelayingQueueWithConfig(clientgo.TypedDelayingQueueConfig[string]{Name: "bench", MetricsProvider: provider{}})}
	},
	"controller-runtime": func() Line { return runtimeLine{priorityqueue.New[string](""), &sync.Once{}} },
	"floor":              newFloorLine,
}

// floorLine is no workqueue: it shows what the others cannot go below. Items wait in a slice
// behind a lock, and nothing else is known of them.
type floorLine struct {
	mu      sync.Mutex
	arrived *sync.Cond
	items   []string
	first   int // index of the next item
	stopped bool
}

func newFloorLine() Line {
	q := &floorLine{}
	q.arrived = sync.NewCond(&q.mu)
	return q
}

func (q *floorLine) Add(item string, _ int, _ time.Duration) {
	q.mu.Lock()
	q.items = append(q.items, item)
	q.mu.Unlock()
	q.arrived.Signal()
}

func (q *floorLine) AddAll(items []string) {
	q.mu.Lock()
	q.items = append(q.items, items...)
	q.mu.Unlock()
	q.arrived.Broadcast()
}

func (q *floorLine) Worker(batch bool) (take func() (int, bool), done func()) {
	most := 1
	if batch {
		most = 16
	}
	return func() (int, bool) { return q.take(most) }, func() {}
}

func (q *floorLine) take(most int) (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.first == len(q.items) && !q.stopped {
		q.arrived.Wait()
	}
	n := min(most, len(q.items)-q.first)
	if q.first += n; q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	}
	return n, n > 0
}

func (q *floorLine) Stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stopped = true
	q.arrived.Broadcast()
}

type vedetteLine struct{ *workqueue.Queue[string] }

func (q vedetteLine) Add(item string, priority int, after time.Duration) {
	_ = q.AddWith(context.Background(), item, workqueue.Options{Priority: int8(priority), After: after}) // fails only for a closed queue
}

func (q vedetteLine) AddAll(items []string) {
	_, _ = q.Queue.AddAll(context.Background(), items, workqueue.Options{}) // fails only for a closed queue
}

func (q vedetteLine) Worker(batch bool) (func() (int, bool), func()) {
	if !batch {
		worker := q.Queue.Worker()
		return func() (int, bool) {
			_, err := worker.Next(context.Background())
			return 1, err == nil
		}, func() {} // the next Next finishes the item
	}
	works := make([]workqueue.Work[string], 16)
	items := make([]string, 0, len(works))
	take := func() (int, bool) {
		n, err := q.GetBatch(context.Background(), works)
		items = items[:0]
		for _, w := range works[:n] {
			items = append(items, w.Item)
		}
		return n, err == nil
	}
	return take, func() { _ = q.Done(items...) }
}

func (q vedetteLine) Stop() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _ = q.Drain(ctx) // an error only means that it did not wait
}

type clientGoLine struct {
	clientgo.TypedDelayingInterface[string]
}

func (q clientGoLine) Add(item string, _ int, after time.Duration) {
	if after > 0 {
		q.AddAfter(item, after)
	} else {
		q.TypedDelayingInterface.Add(item)
	}
}

func (q clientGoLine) AddAll(items []string) {
	for _, item := range items {
		q.TypedDelayingInterface.Add(item)
	}
}

func (q clientGoLine) Worker(bool) (func() (int, bool), func()) {
	return one(func() (string, bool) {
		item, shutdown := q.Get()
		return item, !shutdown
	}, q.Done)
}

func (q clientGoLine) Stop() { q.ShutDown() }

type runtimeLine struct {
	priorityqueue.PriorityQueue[string]
	once *sync.Once
}

func (q runtimeLine) Add(item string, priority int, after time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{Priority: &priority, After: after}, item)
}

func (q runtimeLine) AddAll(items []string) { q.AddWithOpts(priorityqueue.AddOpts{}, items...) }

func (q runtimeLine) Worker(bool) (func() (int, bool), func()) {
	return one(func() (string, bool) {
		item, _, shutdown := q.GetWithPriority()
		return item, !shutdown
	}, q.Done)
}

func (q runtimeLine) Stop() { q.once.Do(q.ShutDown) } // a second call would panic

// one returns the functions of a worker that takes one item at a time.
func one(get func() (string, bool), finish func(string)) (take func() (int, bool), done func()) {
	var item string
	take = func() (int, bool) {
		var ok bool
		item, ok = get()
		return 1, ok
	}
	return take, func() { finish(item) }
}

// provider makes client-go measure at the lowest possible cost.
type (
	provider struct{}
	metric   struct{ atomic.Uint64 }
)

func (m *metric) Inc()              { m.Add(1) }
func (m *metric) Dec()              { m.Add(^uint64(0)) }
func (m *metric) Set(v float64)     { m.Store(uint64(v)) }
func (m *metric) Observe(v float64) { m.Add(uint64(v)) }

func (provider) NewDepthMetric(string) clientgo.GaugeMetric            { return new(metric) }
func (provider) NewAddsMetric(string) clientgo.CounterMetric           { return new(metric) }
func (provider) NewLatencyMetric(string) clientgo.HistogramMetric      { return new(metric) }
func (provider) NewWorkDurationMetric(string) clientgo.HistogramMetric { return new(metric) }
func (provider) NewUnfinishedWorkSecondsMetric(string) clientgo.SettableGaugeMetric {
	return new(metric)
}

func (provider) NewLongestRunningProcessorSecondsMetric(string) clientgo.SettableGaugeMetric {
	return new(metric)
}
func (provider) NewRetriesMetric(string) clientgo.CounterMetric { return new(metric) }
