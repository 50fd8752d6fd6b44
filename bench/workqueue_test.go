package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clock "github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/workqueue"

	clientgo "k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// line is what the contestants have in common.
type line interface {
	add(item string, priority int, after time.Duration)
	addAll(items []string)
	get() (string, bool)
	done(item string)
	stop()
}

type ours struct{ *workqueue.Queue[string] }

func (q ours) add(item string, priority int, after time.Duration) {
	_ = q.AddWith(context.Background(), item, workqueue.Options{Priority: int8(priority), After: after})
}

func (q ours) addAll(items []string) {
	_, _ = q.AddAll(context.Background(), items, workqueue.Options{})
}

func (q ours) get() (string, bool) {
	w, err := q.Get(context.Background())
	return w.Item, err == nil
}
func (q ours) done(item string) { _ = q.Done(item) }
func (q ours) stop() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _ = q.Drain(ctx)
}

type clientGo struct {
	clientgo.TypedDelayingInterface[string]
}

func (q clientGo) add(item string, _ int, after time.Duration) {
	if after > 0 {
		q.AddAfter(item, after)
	} else {
		q.Add(item)
	}
}

func (q clientGo) addAll(items []string) {
	for _, item := range items {
		q.Add(item)
	}
}

func (q clientGo) get() (string, bool) {
	item, shutdown := q.Get()
	return item, !shutdown
}
func (q clientGo) done(item string) { q.Done(item) }
func (q clientGo) stop()            { q.ShutDown() }

type runtimes struct {
	priorityqueue.PriorityQueue[string]
	once *sync.Once
}

func (q runtimes) add(item string, priority int, after time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{Priority: &priority, After: after}, item)
}
func (q runtimes) addAll(items []string) { q.AddWithOpts(priorityqueue.AddOpts{}, items...) }
func (q runtimes) get() (string, bool) {
	item, _, shutdown := q.GetWithPriority()
	return item, !shutdown
}
func (q runtimes) done(item string) { q.Done(item) }
func (q runtimes) stop()            { q.once.Do(q.ShutDown) }

// provider is the least that measuring costs client-go.
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

// lines are the contestants. By default client-go and controller-runtime measure
// nothing; Vedette always does.
var lines = []struct {
	name string
	make func() line
}{
	{"vedette", func() line { return ours{workqueue.New(workqueue.Config[string]{})} }},
	{"client-go", func() line { return clientGo{clientgo.NewTypedDelayingQueue[string]()} }},
	{"client-go_measured", func() line {
		return clientGo{clientgo.NewTypedDelayingQueueWithConfig(clientgo.TypedDelayingQueueConfig[string]{Name: "bench", MetricsProvider: provider{}})}
	}},
	{"controller-runtime", func() line { return runtimes{priorityqueue.New[string](""), &sync.Once{}} }},
}

// queueKeys are n different keys as controllers have them.
func queueKeys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("namespace-%d/worker-%d", i%50, i)
	}
	return keys
}

func eachLine(b *testing.B, bench func(b *testing.B, q line)) {
	for _, l := range lines {
		b.Run(l.name, func(b *testing.B) {
			q := l.make()
			defer q.stop()
			b.ReportAllocs()
			bench(b, q)
		})
	}
}

// BenchmarkQueueAlone is one goroutine that adds, gets and does one item.
func BenchmarkQueueAlone(b *testing.B) {
	keys := queueKeys(1000)
	eachLine(b, func(b *testing.B, q line) {
		for i := range b.N {
			q.add(keys[i%len(keys)], 0, 0)
			item, _ := q.get()
			q.done(item)
		}
	})
}

// some is a worker of ours that takes several items at once.
func some(q *workqueue.Queue[string]) (get func() (int, bool), done func()) {
	works := make([]workqueue.Work[string], 16)
	items := make([]string, 0, len(works))
	get = func() (int, bool) {
		n, err := q.GetSome(context.Background(), works)
		items = items[:0]
		for _, w := range works[:n] {
			items = append(items, w.Item)
		}
		return n, err == nil
	}
	return get, func() { _ = q.Done(items...) }
}

// one is a worker that takes one at a time.
func one(q line) (get func() (int, bool), done func()) {
	var item string
	get = func() (int, bool) {
		var ok bool
		item, ok = q.get()
		return 1, ok
	}
	return get, func() { q.done(item) }
}

// rounds lets producers add all keys and workers do them, b.N times: within a
// round all keys are different, so that nothing is folded.
func rounds(b *testing.B, q line, worker func() (get func() (int, bool), done func()), keys []string, produce func(keys []string)) {
	const producers, workers = 8, 8
	var handled atomic.Int64
	var all sync.WaitGroup
	full := make(chan struct{}, 1)
	for range workers {
		all.Go(func() {
			get, done := worker()
			for {
				n, ok := get()
				if !ok {
					return
				}
				done()
				if int(handled.Add(int64(n)))%len(keys) == 0 {
					full <- struct{}{}
				}
			}
		})
	}
	before := processTime(b)
	b.ResetTimer()
	for range b.N {
		share := len(keys) / producers
		for i := range producers {
			go produce(keys[i*share : (i+1)*share])
		}
		<-full
	}
	b.StopTimer()
	b.ReportMetric(float64(b.N*len(keys))/b.Elapsed().Seconds(), "items/s")
	b.ReportMetric(float64(processTime(b)-before)/float64(b.N*len(keys)), "cpu-ns/item")
	q.stop()
	all.Wait()
}

// processTime is what this process has used so far.
func processTime(b *testing.B) time.Duration {
	b.Helper()
	t, err := clock.CPUTime()
	if err != nil {
		b.Fatal(err)
	}
	return t
}

const queueItems = 100_000

// BenchmarkQueueWorkers is 8 producers and 8 workers.
func BenchmarkQueueWorkers(b *testing.B) {
	keys := queueKeys(queueItems)
	eachLine(b, func(b *testing.B, q line) {
		rounds(b, q, func() (func() (int, bool), func()) { return one(q) }, keys, func(keys []string) {
			for _, key := range keys {
				q.add(key, 0, 0)
			}
		})
	})
}

// BenchmarkQueuePriorities is the same with three priorities. client-go has
// none, and is here for comparison.
func BenchmarkQueuePriorities(b *testing.B) {
	keys := queueKeys(queueItems)
	eachLine(b, func(b *testing.B, q line) {
		rounds(b, q, func() (func() (int, bool), func()) { return one(q) }, keys, func(keys []string) {
			for i, key := range keys {
				q.add(key, i%3-1, 0)
			}
		})
	})
}

// BenchmarkQueueBatch is 8 producers that add 100 at a time, and 8 workers; ours
// take up to 16 at a time, which the others can not.
func BenchmarkQueueBatch(b *testing.B) {
	keys := queueKeys(queueItems)
	eachLine(b, func(b *testing.B, q line) {
		worker := func() (func() (int, bool), func()) { return one(q) }
		if q, ok := q.(ours); ok {
			worker = func() (func() (int, bool), func()) { return some(q.Queue) }
		}
		rounds(b, q, worker, keys, func(keys []string) {
			for len(keys) > 0 {
				n := min(len(keys), 100)
				q.addAll(keys[:n])
				keys = keys[n:]
			}
		})
	})
}

// BenchmarkQueueDelayed delays a million items, the later ones for less long.
func BenchmarkQueueDelayed(b *testing.B) {
	keys := queueKeys(1_000_000)
	eachLine(b, func(b *testing.B, q line) {
		for range b.N {
			for i, key := range keys {
				q.add(key, 0, time.Hour+time.Duration((i*7919)%len(keys))*time.Millisecond)
			}
		}
		b.ReportMetric(float64(b.N*len(keys))/b.Elapsed().Seconds(), "items/s")
	})
}
