package controllerruntime_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/vedette-io/vedette/compat/controllerruntime"
)

// BenchmarkQueue measures controller-runtime's priority queue and ours side by side. An
// operation is one request.
func BenchmarkQueue(b *testing.B) {
	keys := make([]string, 100_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("namespace-%d/worker-%d", i%50, i)
	}
	for shape, run := range map[string]func(*testing.B, line, []string){"InTurn": inTurn, "EightWorkers": eightWorkers, "Delayed": delayed} {
		for metrics, name := range map[string]string{"plain": "", "metrics": "q"} {
			for whose, make := range map[string]func(string, clientgo.TypedRateLimiter[string]) clientgo.TypedRateLimitingInterface[string]{
				"controller-runtime": func(name string, l clientgo.TypedRateLimiter[string]) clientgo.TypedRateLimitingInterface[string] {
					return priorityqueue.New(name, func(o *priorityqueue.Opts[string]) { o.RateLimiter = l })
				},
				"vedette": controllerruntime.NewQueue[string],
			} {
				b.Run(shape+"/"+metrics+"/"+whose, func(b *testing.B) {
					q, ok := make(name, newLimiter()).(line)
					if !ok {
						b.Fatal("it is not a priority queue")
					}
					b.ReportAllocs()
					start := cpu(b)
					run(b, q, keys)
					b.ReportMetric(float64(cpu(b)-start)/float64(b.N), "cpu-ns/op")
					if !q.ShuttingDown() { // controller-runtime's may be shut down once
						q.ShutDown()
					}
				})
			}
		}
	}
}

// cpu returns the time of processors that the process has used.
func cpu(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// inTurn is one goroutine that adds, gets and does one request after the other.
func inTurn(b *testing.B, q line, keys []string) {
	for i := range b.N {
		q.Add(keys[i%1000])
		item, _ := q.Get()
		q.Done(item)
	}
}

// eightWorkers is as many producers, with three priorities. Within a round all requests are
// different.
func eightWorkers(b *testing.B, q line, keys []string) {
	const size = 8
	var handled, goal atomic.Int64
	var all sync.WaitGroup
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
	for i := 0; i < b.N; i += len(keys) {
		n := min(len(keys), b.N-i)
		goal.Add(int64(n))
		for j := range size {
			share := keys[j*n/size : (j+1)*n/size]
			all.Go(func() {
				for k, key := range share {
					var o priorityqueue.AddOpts
					setPriority(&o.Priority, k%3-1)
					q.AddWithOpts(o, key)
				}
			})
		}
		<-full
	}
	q.ShutDown()
	all.Wait()
}

// delayed delays requests.
func delayed(b *testing.B, q line, keys []string) {
	for i := range b.N {
		q.AddAfter(keys[i%len(keys)], time.Hour+time.Duration(i*7919%len(keys))*time.Millisecond)
	}
	q.Len() // controller-runtime's files them here, or in a goroutine of its own
}
