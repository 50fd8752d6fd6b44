package workqueue_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clientgo "k8s.io/client-go/util/workqueue"

	"github.com/vedette-io/vedette/compat/clientgo/util/workqueue"
	"github.com/vedette-io/vedette/internal/oscompat"
)

// queueShapes are the ways of using a queue that are measured beside client-go's.
var queueShapes = []struct {
	name string
	run  func(*testing.B, clientgo.TypedRateLimitingInterface[string], []string)
}{
	{"InTurn", inTurn},
	{"Bursts", bursts},
	{"Folded", folded},
	{"WhileHandled", whileHandled},
	{"OneWorker", func(b *testing.B, q clientgo.TypedRateLimitingInterface[string], keys []string) { crew(b, q, keys, 1) }},
	{"EightWorkers", func(b *testing.B, q clientgo.TypedRateLimitingInterface[string], keys []string) { crew(b, q, keys, 8) }},
	{"Delayed", delayed},
	{"RateLimited", rateLimited},
}

// BenchmarkQueue measures client-go's queues and ours side by side. An operation is one item.
func BenchmarkQueue(b *testing.B) {
	keys := make([]string, 100_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("namespace-%d/worker-%d", i%50, i)
	}
	for _, shape := range queueShapes {
		for _, config := range []clientgo.TypedRateLimitingQueueConfig[string]{{}, {Name: "q", MetricsProvider: counters{}}} {
			for _, m := range []struct {
				name string
				maker
			}{{"client-go", theirs}, {"vedette", ours}} {
				metrics := map[string]string{"": "plain", "q": "metrics"}[config.Name]
				b.Run(shape.name+"/"+metrics+"/"+m.name, func(b *testing.B) {
					q := m.limited(clientgo.NewTypedItemExponentialFailureRateLimiter[string](time.Hour, time.Hour), config)
					defer q.ShutDown()
					b.ReportAllocs()
					start := oscompat.CPUTime()
					shape.run(b, q, keys)
					b.ReportMetric(float64(oscompat.CPUTime()-start)/float64(b.N), "cpu-ns/op")
				})
			}
		}
	}
}

// inTurn is one goroutine that adds, gets and does one item after the other.
func inTurn(b *testing.B, q clientgo.TypedRateLimitingInterface[string], keys []string) {
	i := 0
	for b.Loop() {
		q.Add(keys[i%1000])
		item, _ := q.Get()
		q.Done(item)
		i++
	}
}

// bursts is one goroutine that adds many items before it does them.
func bursts(b *testing.B, q clientgo.TypedRateLimitingInterface[string], keys []string) {
	const burst = 1000
	for i := 0; i < b.N; i += burst {
		n := min(burst, b.N-i)
		for _, key := range keys[:n] {
			q.Add(key)
		}
		for range n {
			item, _ := q.Get()
			q.Done(item)
		}
	}
}

// folded adds items that wait.
func folded(b *testing.B, q clientgo.TypedRateLimitingInterface[string], keys []string) {
	i := 0
	for b.Loop() {
		q.Add(keys[i%1000])
		i++
	}
}

// whileHandled adds an item that is handled, and so waits again at its Done.
func whileHandled(b *testing.B, q clientgo.TypedRateLimitingInterface[string], keys []string) {
	q.Add(keys[0])
	for b.Loop() {
		item, _ := q.Get()
		q.Add(item)
		q.Done(item)
	}
}

// crew is some producers and as many workers. Within a round all items are different.
func crew(b *testing.B, q clientgo.TypedRateLimitingInterface[string], keys []string, size int) {
	var handled atomic.Int64
	var all sync.WaitGroup
	var goal atomic.Int64
	full := make(chan struct{}, 1)
	for range size {
		all.Go(func() {
			for {
				item, shutdown := q.Get()
				if shutdown {
					return
				}
				q.Done(item)
				if handled.Add(1) == goal.Load() {
					full <- struct{}{}
				}
			}
		})
	}
	b.ResetTimer()
	for i := 0; i < b.N; i += len(keys) {
		n := min(len(keys), b.N-i)
		goal.Add(int64(n))
		for j := range size {
			share := keys[j*n/size : (j+1)*n/size]
			all.Go(func() {
				for _, key := range share {
					q.Add(key)
				}
			})
		}
		<-full
	}
	b.StopTimer()
	q.ShutDown()
	all.Wait()
}

// delayed delays items.
func delayed(b *testing.B, q clientgo.TypedRateLimitingInterface[string], keys []string) {
	for i := range b.N {
		q.AddAfter(keys[i%len(keys)], time.Hour+time.Duration(i*7919%len(keys))*time.Millisecond)
	}
}

// rateLimited delays items by a limiter, which forgets them.
func rateLimited(b *testing.B, q clientgo.TypedRateLimitingInterface[string], keys []string) {
	for i := range b.N {
		q.AddRateLimited(keys[i%len(keys)])
		q.Forget(keys[i%len(keys)])
	}
}

// counters is a provider whose metrics cost the least.
type (
	counters struct{}
	counter  struct{ atomic.Uint64 }
)

func (c *counter) Inc()              { c.Add(1) }
func (c *counter) Dec()              { c.Add(^uint64(0)) }
func (c *counter) Set(v float64)     { c.Store(uint64(v)) }
func (c *counter) Observe(v float64) { c.Add(uint64(v)) }

func (counters) NewDepthMetric(string) clientgo.GaugeMetric            { return new(counter) }
func (counters) NewAddsMetric(string) clientgo.CounterMetric           { return new(counter) }
func (counters) NewRetriesMetric(string) clientgo.CounterMetric        { return new(counter) }
func (counters) NewLatencyMetric(string) clientgo.HistogramMetric      { return new(counter) }
func (counters) NewWorkDurationMetric(string) clientgo.HistogramMetric { return new(counter) }
func (counters) NewUnfinishedWorkSecondsMetric(string) clientgo.SettableGaugeMetric {
	return new(counter)
}

func (counters) NewLongestRunningProcessorSecondsMetric(string) clientgo.SettableGaugeMetric {
	return new(counter)
}

// BenchmarkItems is inTurn with items of other types: structs, and values in interfaces.
func BenchmarkItems(b *testing.B) {
	b.Run("struct", func(b *testing.B) {
		items(b, func(i int) types.NamespacedName {
			return types.NamespacedName{Namespace: "default", Name: fmt.Sprint("worker-", i)}
		})
	})
	b.Run("any", func(b *testing.B) {
		items(b, func(i int) any { return fmt.Sprint("default/worker-", i) })
	})
}

func items[T comparable](b *testing.B, item func(int) T) {
	all := make([]T, 1000)
	for i := range all {
		all[i] = item(i)
	}
	for _, m := range []struct {
		name string
		q    clientgo.TypedInterface[T]
	}{{"client-go", clientgo.NewTyped[T]()}, {"vedette", workqueue.NewTyped[T]()}} {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			start := oscompat.CPUTime()
			for i := range b.N {
				m.q.Add(all[i%len(all)])
				got, _ := m.q.Get()
				m.q.Done(got)
			}
			b.ReportMetric(float64(oscompat.CPUTime()-start)/float64(b.N), "cpu-ns/op")
		})
		m.q.ShutDown()
	}
}
