//go:build !race

package workqueue_test

import (
	"testing"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
)

// TestAllocations: an item allocates nothing in a queue that has seen as many, with metrics
// or without.
func TestAllocations(t *testing.T) {
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = string(rune('a' + i))
	}
	for _, config := range []clientgo.TypedRateLimitingQueueConfig[string]{{}, {Name: "q", MetricsProvider: counters{}}} {
		for name, run := range map[string]func(clientgo.TypedRateLimitingInterface[string]){
			"in turn": func(q clientgo.TypedRateLimitingInterface[string]) {
				for _, key := range keys {
					q.Add(key)
					item, _ := q.Get()
					q.Done(item)
				}
			},
			"bursts": func(q clientgo.TypedRateLimitingInterface[string]) {
				for _, key := range keys {
					q.Add(key)
					q.Add(key)
				}
				for range keys {
					item, _ := q.Get()
					q.Done(item)
				}
			},
			"while handled": func(q clientgo.TypedRateLimitingInterface[string]) {
				q.Add("a")
				for range keys {
					item, _ := q.Get()
					q.Add(item)
					q.Done(item)
				}
			},
			"delayed": func(q clientgo.TypedRateLimitingInterface[string]) {
				for _, key := range keys {
					q.AddAfter(key, time.Hour)
				}
			},
		} {
			t.Run(name+config.Name, func(t *testing.T) {
				q := ours.limited(clientgo.DefaultTypedItemBasedRateLimiter[string](), config)
				defer q.ShutDown()
				if n := testing.AllocsPerRun(10, func() { run(q) }); n > 0 {
					t.Errorf("%v allocations for %d items", n, len(keys))
				}
			})
		}
	}
}
