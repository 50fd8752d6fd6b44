package workqueue_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	clientgo "k8s.io/client-go/util/workqueue"

	"github.com/vedette-io/vedette/compat/clientgo/util/workqueue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// maker makes queues: client-go's or ours.
type maker struct {
	plain    func(clientgo.TypedQueueConfig[string]) clientgo.TypedInterface[string]
	delaying func(clientgo.TypedDelayingQueueConfig[string]) clientgo.TypedDelayingInterface[string]
	limited  func(clientgo.TypedRateLimiter[string], clientgo.TypedRateLimitingQueueConfig[string]) clientgo.TypedRateLimitingInterface[string]
}

var (
	theirs = maker{
		func(c clientgo.TypedQueueConfig[string]) clientgo.TypedInterface[string] {
			return clientgo.NewTypedWithConfig(c)
		},
		clientgo.NewTypedDelayingQueueWithConfig[string], clientgo.NewTypedRateLimitingQueueWithConfig[string],
	}
	ours = maker{
		func(c clientgo.TypedQueueConfig[string]) clientgo.TypedInterface[string] {
			return workqueue.NewTypedWithConfig(c)
		},
		workqueue.NewTypedDelayingQueueWithConfig[string], workqueue.NewTypedRateLimitingQueueWithConfig[string],
	}
)

// both runs a test of the contract with client-go's queues and with ours, in time
// that is made up.
func both(t *testing.T, test func(*testing.T, maker)) {
	for name, m := range map[string]maker{"client-go": theirs, "vedette": ours} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, m) }) })
	}
}

// each runs a test with the three kinds of queues, which behave the same in it.
func each(t *testing.T, test func(*testing.T, clientgo.TypedInterface[string])) {
	both(t, func(t *testing.T, m maker) {
		kinds := []clientgo.TypedInterface[string]{
			m.plain(clientgo.TypedQueueConfig[string]{}),
			m.delaying(clientgo.TypedDelayingQueueConfig[string]{}),
			m.limited(clientgo.DefaultTypedItemBasedRateLimiter[string](), clientgo.TypedRateLimitingQueueConfig[string]{}),
		}
		for _, q := range kinds {
			test(t, q)
			q.ShutDown()
		}
	})
}

// take gets an item that waits.
func take(t *testing.T, q clientgo.TypedInterface[string], want string) {
	t.Helper()
	if q.Len() == 0 {
		t.Fatalf("nothing waits, want %s", want)
	}
	if item, shutdown := q.Get(); item != want || shutdown {
		t.Fatalf("Get: %q, %v; want %q", item, shutdown, want)
	}
}

// ended checks that Get reports the end.
func ended(t *testing.T, q clientgo.TypedInterface[string]) {
	t.Helper()
	if item, shutdown := q.Get(); item != "" || !shutdown {
		t.Fatalf("Get: %q, %v; want the end", item, shutdown)
	}
}

func length(t *testing.T, q clientgo.TypedInterface[string], want int) {
	t.Helper()
	if n := q.Len(); n != want {
		t.Fatalf("Len: %d, want %d", n, want)
	}
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestWaitsOnce(t *testing.T) {
	each(t, func(t *testing.T, q clientgo.TypedInterface[string]) {
		for _, item := range []string{"b", "a", "b", "c", "a"} {
			q.Add(item)
		}
		length(t, q, 3)
		for _, item := range []string{"b", "a", "c"} {
			take(t, q, item)
			q.Done(item)
		}
		length(t, q, 0)
	})
}

func TestAddedWhileHandled(t *testing.T) {
	each(t, func(t *testing.T, q clientgo.TypedInterface[string]) {
		q.Add("a")
		take(t, q, "a")
		q.Add("a")
		q.Add("a")
		length(t, q, 0)
		q.Add("b")
		q.Done("a")
		take(t, q, "b")
		take(t, q, "a")
		q.Done("a")
		q.Done("b")
		length(t, q, 0)
	})
}

// TestGetWaits: workers that wait get each item once, and all end with the queue.
func TestGetWaits(t *testing.T) {
	each(t, func(t *testing.T, q clientgo.TypedInterface[string]) {
		var mu sync.Mutex
		var got []string
		var work sync.WaitGroup
		for range 3 {
			work.Go(func() {
				for {
					item, shutdown := q.Get()
					if shutdown {
						return
					}
					mu.Lock()
					got = append(got, item)
					mu.Unlock()
					q.Done(item)
				}
			})
		}
		synctest.Wait() // they wait
		for _, item := range []string{"a", "b", "c", "d"} {
			q.Add(item)
		}
		synctest.Wait()
		q.ShutDown()
		work.Wait()
		slices.Sort(got)
		if !slices.Equal(got, []string{"a", "b", "c", "d"}) {
			t.Fatalf("got %v, want %v", got, []string{"a", "b", "c", "d"})
		}
	})
}

func TestShutDown(t *testing.T) {
	each(t, func(t *testing.T, q clientgo.TypedInterface[string]) {
		q.Add("handled")
		take(t, q, "handled")
		q.Add("handled")
		q.Add("waits")
		if q.ShuttingDown() {
			t.Fatal("it shuts down")
		}
		q.ShutDown()
		q.ShutDown()
		if !q.ShuttingDown() {
			t.Fatal("it does not shut down")
		}
		q.Add("late")
		take(t, q, "waits")
		ended(t, q) // although an item that is handled will come back
		q.Done("handled")
		take(t, q, "handled")
		q.Add("handled") // late as well
		q.Done("handled")
		q.Done("waits")
		ended(t, q)
	})
}

// TestShutDownWithDrain: it waits for items that are handled, also those that come
// back, and ShutDown ends it.
func TestShutDownWithDrain(t *testing.T) {
	for _, forced := range []bool{false, true} {
		each(t, func(t *testing.T, q clientgo.TypedInterface[string]) {
			q.Add("a")
			q.Add("b")
			take(t, q, "a")
			take(t, q, "b")
			drained := make(chan struct{})
			go func() {
				defer close(drained)
				q.ShutDownWithDrain()
			}()
			synctest.Wait()
			q.Done("b")
			q.Add("c")
			pass(time.Hour)
			select {
			case <-drained:
				t.Fatal("it does not wait for a")
			default:
			}
			ended(t, q)
			if forced {
				q.ShutDown()
				<-drained
			}
			q.Done("a")
			<-drained
		})
	}
}

func TestCustomOrder(t *testing.T) {
	both(t, func(t *testing.T, m maker) {
		touched := &touches{Queue: clientgo.DefaultQueue[string]()}
		q := m.plain(clientgo.TypedQueueConfig[string]{Queue: touched})
		q.Add("a")
		q.Add("b")
		q.Add("a")
		length(t, q, 2)
		take(t, q, "b") // a was touched
		take(t, q, "a")
		q.Done("a")
		q.Done("b")
		q.ShutDownWithDrain()
		ended(t, q)
		if !q.ShuttingDown() {
			t.Fatal("it does not shut down")
		}
	})
}

// touches hands out the items first that were not touched.
type touches struct {
	clientgo.Queue[string]
	touched []string
}

func (q *touches) Touch(item string) { q.touched = append(q.touched, item) }

func (q *touches) Pop() string {
	for range q.Len() {
		item := q.Queue.Pop()
		if !slices.Contains(q.touched, item) {
			return item
		}
		q.touched = slices.DeleteFunc(q.touched, func(t string) bool { return t == item })
		q.Push(item)
	}
	return q.Queue.Pop()
}
