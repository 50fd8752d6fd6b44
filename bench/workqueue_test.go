package main

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// lines are the contestants, each with what it does by default. The others
// do not measure anything without a provider of metrics; Vedette always does.
var lines = []struct {
	name string
	make func() line
}{
	{"vedette", func() line { return ours{workqueue.New(workqueue.Config[string]{})} }},
	{"client-go", func() line { return clientGo{clientgo.NewTypedDelayingQueue[string]()} }},
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

// rounds lets producers add all keys and workers do them, b.N times: within a
// round all keys are different, so that nothing is folded.
func rounds(b *testing.B, q line, keys []string, producers, workers int, produce func(keys []string)) {
	var handled atomic.Int64
	var all sync.WaitGroup
	full := make(chan struct{}, 1)
	for range workers {
		all.Go(func() {
			for {
				item, ok := q.get()
				if !ok {
					return
				}
				q.done(item)
				if handled.Add(1)%int64(len(keys)) == 0 {
					full <- struct{}{}
				}
			}
		})
	}
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
	q.stop()
	all.Wait()
}

const queueItems = 100_000

// BenchmarkQueueWorkers is 8 producers and 8 workers.
func BenchmarkQueueWorkers(b *testing.B) {
	keys := queueKeys(queueItems)
	eachLine(b, func(b *testing.B, q line) {
		rounds(b, q, keys, 8, 8, func(keys []string) {
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
		rounds(b, q, keys, 8, 8, func(keys []string) {
			for i, key := range keys {
				q.add(key, i%3-1, 0)
			}
		})
	})
}

// BenchmarkQueueBatch is 8 producers that add what an informer has at once.
func BenchmarkQueueBatch(b *testing.B) {
	keys := queueKeys(queueItems)
	eachLine(b, func(b *testing.B, q line) {
		rounds(b, q, keys, 8, 8, func(keys []string) {
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
