package workqueue_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/vedette-io/vedette/compat/clientgo/util/workqueue"
)

// drain starts a drain, and returns a channel that is closed when it has ended.
func drain(q interface{ ShutDownWithDrain() }) chan struct{} {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		q.ShutDownWithDrain()
	}()
	synctest.Wait()
	return drained
}

// TestDrainWaitsForTheRest: a worker that is slow to come back gets the rest, and
// the drain waits for it.
func TestDrainWaitsForTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.NewTyped[string]()
		for _, item := range []string{"a", "b", "c"} {
			q.Add(item)
		}
		take(t, q, "a")
		drained := drain(q)
		for _, next := range []string{"b", "c", ""} {
			pass(time.Hour)
			select {
			case <-drained:
				t.Fatalf("it has ended before %q", next)
			default:
			}
			q.Done(map[string]string{"b": "a", "c": "b", "": "c"}[next])
			if next != "" {
				pass(900 * time.Millisecond)
				take(t, q, next)
			}
		}
		<-drained
		ended(t, q)
	})
}

// TestDrainWithoutWorkers: no worker takes the waiting items, so the drain ends.
func TestDrainWithoutWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.NewTyped[string]()
		q.Add("a")
		start := time.Now()
		q.ShutDownWithDrain()
		if d := time.Since(start); d != time.Second {
			t.Fatalf("got a wait of %v, want %v", d, time.Second)
		}
		take(t, q, "a")
	})
}

// TestDrainEndsDelays: nothing of a delaying queue is left when the drain has
// ended. synctest fails if a goroutine is.
func TestDrainEndsDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.NewTypedDelayingQueueWithConfig(workqueue.TypedDelayingQueueConfig[string]{Name: "q", MetricsProvider: newRecorder()})
		q.AddAfter("a", time.Hour)
		start := time.Now()
		q.ShutDownWithDrain()
		if d := time.Since(start); d != 0 {
			t.Fatalf("got a wait of %v, want 0", d)
		}
	})
}

// TestDoneOfNothing: an item that is not handled is in the queue once.
func TestDoneOfNothing(t *testing.T) {
	q := workqueue.NewTyped[string]()
	q.Add("a")
	q.Done("a")
	q.Done("b")
	length(t, q, 1)
	q.ShutDown()
}

// TestRefused: items that could not be found again are reported, and panic nowhere.
func TestRefused(t *testing.T) {
	var errs []string
	before := utilruntime.ErrorHandlers
	defer func() { utilruntime.ErrorHandlers = before }()
	utilruntime.ErrorHandlers = []utilruntime.ErrorHandler{func(_ context.Context, err error, _ string, _ ...any) {
		errs = append(errs, err.Error())
	}}
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[any]())
	for _, item := range []any{[]string{"a"}, struct{ any }{map[string]int{}}, [1]any{func() {}}, math.NaN()} {
		q.Add(item)
		q.AddAfter(item, time.Hour)
		q.AddRateLimited(item)
		q.Forget(item)
		q.Done(item)
		if n := q.NumRequeues(item); n != 0 {
			t.Errorf("NumRequeues: got %v, want 0", n)
		}
	}
	numbers := workqueue.NewTyped[float64]()
	numbers.Add(math.NaN())
	if q.Len() != 0 || numbers.Len() != 0 || len(errs) != 13 || !strings.Contains(errs[0], "[]string") {
		t.Fatalf("got lengths %d and %d and errors %v, want two empty queues and 13 errors", q.Len(), numbers.Len(), errs)
	}
	q.Add(nil)
	q.Add(struct{ any }{1})
	q.Add([1]any{"a"})
	if q.Len() != 3 {
		t.Fatalf("got length %d and errors %v, want 3 items", q.Len(), errs)
	}
	q.ShutDown()
	numbers.ShutDown()
}

// TestManyDelays: more than a thousand delays fit while no worker takes any.
func TestManyDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.NewTypedDelayingQueue[int]()
		for i := range 10_000 {
			q.AddAfter(i, time.Duration(i%100+1)*time.Millisecond)
		}
		pass(50 * time.Millisecond)
		if n := q.Len(); n != 5_000 {
			t.Fatalf("Len: got %v, want 5000", n)
		}
		for i := range 5_000 { // by time, then as they came
			item, _ := q.Get()
			if want := i/100 + i%100*100; item != want {
				t.Fatalf("item %d: got %v, want %v", i, item, want)
			}
			q.Done(item)
		}
		q.ShutDown()
	})
}
