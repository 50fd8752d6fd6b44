package controllerruntime_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	clientgo "k8s.io/client-go/util/workqueue"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/vedette-io/vedette/compat/controllerruntime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type line = priorityqueue.PriorityQueue[string]

func newLimiter() clientgo.TypedRateLimiter[string] {
	return clientgo.NewTypedItemExponentialFailureRateLimiter[string](time.Second, 4*time.Second)
}

// newLine returns our queue with its priorities.
func newLine(t rapid.TB) line {
	q, ok := controllerruntime.NewQueue("", newLimiter()).(line)
	if !ok {
		t.Fatal("the queue is not a priority queue")
	}
	return q
}

// differs has the tests that the queue of controller-runtime 0.21 does not pass: it does not wake its
// workers at its end, and does not raise the priority of a request that waits.
var differs = map[string]bool{"TestShutDown": true, "TestShutDownDrops": true, "TestPriorities": true}

// pointers reports whether priorities are pointers, as since controller-runtime 0.22.
func pointers() bool {
	priority, _ := reflect.TypeFor[priorityqueue.AddOpts]().FieldByName("Priority")
	return priority.Type.Kind() == reflect.Pointer
}

// both runs a test with controller-runtime's queue and with ours, in time that is
// made up. All of it is over before a request of a low priority has waited long.
func both(t *testing.T, test func(*testing.T, line)) {
	made := map[string]func() line{
		"controller-runtime": func() line {
			return priorityqueue.New("", func(o *priorityqueue.Opts[string]) { o.RateLimiter = newLimiter() })
		},
		"vedette": func() line { return newLine(t) },
	}
	for name, queue := range made {
		if name != "vedette" && differs[strings.Split(t.Name(), "/")[0]] && !pointers() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := queue()
				defer func() {
					if !q.ShuttingDown() { // controller-runtime's may be shut down once
						q.ShutDown()
					}
				}()
				test(t, q)
			})
		})
	}
}

// setPriority sets a priority, which is a number in controller-runtime 0.21 and a pointer in
// later versions.
func setPriority[P int | *int](field *P, priority int) {
	switch field := any(field).(type) {
	case *int:
		*field = priority
	case **int:
		*field = &priority
	}
}

func add(q line, priority int, after time.Duration, items ...string) {
	o := priorityqueue.AddOpts{After: after}
	setPriority(&o.Priority, priority)
	q.AddWithOpts(o, items...)
	synctest.Wait()
}

// take gets a request that waits.
func take(t *testing.T, q line, want string, priority int) {
	t.Helper()
	if q.Len() == 0 {
		t.Fatalf("nothing waits, want %s", want)
	}
	if item, p, shutdown := q.GetWithPriority(); item != want || p != priority || shutdown {
		t.Fatalf("%q with %d, %v; want %q with %d", item, p, shutdown, want, priority)
	}
}

func length(t *testing.T, q line, want int) {
	t.Helper()
	if n := q.Len(); n != want {
		t.Fatalf("Len: %d, want %d", n, want)
	}
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestPriorities(t *testing.T) {
	both(t, func(t *testing.T, q line) {
		add(q, -100, 0, "low1", "low2", "raised")
		add(q, 0, 0, "b")
		add(q, 7, 0, "high")
		add(q, 0, 0, "raised") // behind b
		add(q, -5, 0, "raised")
		q.Add("c")
		q.AddWithOpts(priorityqueue.AddOpts{}, "d")
		synctest.Wait()
		length(t, q, 7)
		take(t, q, "high", 7)
		take(t, q, "b", 0)
		take(t, q, "raised", 0)
		take(t, q, "c", 0)
		take(t, q, "d", 0)
		take(t, q, "low1", -100)
		item, shutdown := q.Get()
		if item != "low2" || shutdown {
			t.Fatal(item, shutdown)
		}
		add(q, 3, 0, "high") // handled
		q.Done("high")
		synctest.Wait()
		take(t, q, "high", 3)
	})
}

func TestDelays(t *testing.T) {
	both(t, func(t *testing.T, q line) {
		add(q, 1, 3*time.Second, "a")
		add(q, 5, 2*time.Second, "a") // the shorter delay, the higher priority
		add(q, 0, 4*time.Second, "a")
		add(q, 0, 9*time.Second, "b")
		add(q, 0, 0, "b") // at once, and not again
		add(q, 0, time.Second, "b")
		take(t, q, "b", 0)
		q.Done("b")
		pass(2*time.Second - 1)
		length(t, q, 0)
		pass(1)
		take(t, q, "a", 5)
		q.Done("a")
		pass(8 * time.Second)
		length(t, q, 0)
		q.AddAfter("c", time.Second)
		pass(time.Second)
		take(t, q, "c", 0)
	})
}

func TestRateLimited(t *testing.T) {
	both(t, func(t *testing.T, q line) {
		q.AddRateLimited("a") // 1 s
		pass(time.Second)
		take(t, q, "a", 0)
		o := priorityqueue.AddOpts{RateLimited: true, After: time.Hour}
		setPriority(&o.Priority, 1)
		q.AddWithOpts(o, "a") // 2 s
		q.Done("a")
		pass(2*time.Second - 1)
		length(t, q, 0)
		pass(1)
		take(t, q, "a", 1)
		q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, After: time.Second}, "a") // not 4 s
		q.Done("a")
		synctest.Wait() // controller-runtime counts later
		if n := q.NumRequeues("a"); n != 3 {
			t.Fatal(n)
		}
		q.Forget("a")
		if n := q.NumRequeues("a"); n != 0 {
			t.Fatal(n)
		}
		pass(time.Second)
		take(t, q, "a", 0)
	})
}

// TestShutDown: workers end at once, and waiting requests are dropped.
func TestShutDown(t *testing.T) {
	both(t, func(t *testing.T, q line) {
		var workers sync.WaitGroup
		for range 2 {
			workers.Go(func() {
				if item, priority, shutdown := q.GetWithPriority(); item != "" || priority != 0 || !shutdown {
					t.Error(item, priority, shutdown)
				}
			})
		}
		synctest.Wait()
		q.ShutDown()
		workers.Wait()
		add(q, 0, 0, "late")
		length(t, q, 0)
		if _, shutdown := q.Get(); !shutdown || !q.ShuttingDown() {
			t.Error("it is not shut down")
		}
	})
}

// TestShutDownDrops: requests that wait are not handed out to a controller that ends.
func TestShutDownDrops(t *testing.T) {
	both(t, func(t *testing.T, q line) {
		add(q, 0, 0, "a", "b")
		take(t, q, "a", 0)
		q.ShutDown()
		if item, _, shutdown := q.GetWithPriority(); item != "" || !shutdown {
			t.Error(item, shutdown)
		}
		q.Done("a")
	})
}

// TestDrain: what waits is handed out and done before a drain ends; in
// controller-runtime a drain drops it. A second shutdown is none.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newLine(t)
		add(q, 0, 0, "a", "b")
		take(t, q, "a", 0)
		drained := make(chan struct{})
		go func() {
			defer close(drained)
			q.ShutDownWithDrain()
		}()
		synctest.Wait()
		q.Done("a")
		take(t, q, "b", 0)
		pass(time.Hour)
		select {
		case <-drained:
			t.Fatal("b is handled still")
		default:
		}
		q.Done("b")
		<-drained
		q.ShutDown()
		q.ShutDown()
	})
}

// TestNothingStarves: a request of a low priority is handed out although others keep
// coming.
func TestNothingStarves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newLine(t)
		add(q, -6, 0, "low")
		for range 59 {
			pass(time.Second)
			add(q, 0, 0, "high")
			take(t, q, "high", 0)
			q.Done("high")
		}
		pass(2 * time.Second)
		add(q, 0, 0, "high")
		take(t, q, "low", -6)
		q.ShutDown()
	})
}

// TestFarPriorities: a priority that the queue does not have is the nearest.
func TestFarPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newLine(t)
		add(q, math.MinInt, 0, "lowest")
		add(q, 1000, 0, "highest")
		take(t, q, "highest", 127)
		take(t, q, "lowest", -128)
		q.ShutDown()
	})
}

// measured numbers the queues of TestMetrics, as metrics are never forgotten.
var measured atomic.Int32

// TestMetrics: the queue counts in controller-runtime's metrics.
func TestMetrics(t *testing.T) {
	name := fmt.Sprint("measured ", measured.Add(1))
	q := controllerruntime.NewQueue(name, newLimiter())
	q.Add("a")
	q.AddAfter("b", time.Hour)
	q.Add("c")
	item, _ := q.Get()
	q.Done(item)
	q.ShutDown()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if len(m.GetLabel()) > 1 && m.GetLabel()[1].GetValue() == name {
				got[f.GetName()] = m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	for metric, want := range map[string]float64{
		"workqueue_depth": 1, "workqueue_adds_total": 2, "workqueue_retries_total": 1,
		"workqueue_queue_duration_seconds": 1, "workqueue_work_duration_seconds": 1,
		"workqueue_unfinished_work_seconds": 0, "workqueue_longest_running_processor_seconds": 0,
	} {
		if value, ok := got[metric]; !ok || value != want {
			t.Errorf("%s: %v, want %v; there are %v", metric, value, want, got)
		}
	}
}
