package workqueue_test

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	testclock "k8s.io/utils/clock/testing"
)

func TestDelays(t *testing.T) {
	both(t, func(t *testing.T, m maker) {
		q := m.delaying(clientgo.TypedDelayingQueueConfig[string]{})
		defer q.ShutDown()
		q.AddAfter("b", 3*time.Second)
		q.AddAfter("a", 2*time.Second)
		q.AddAfter("a", 4*time.Second) // the earliest counts
		q.AddAfter("c", 5*time.Second)
		q.AddAfter("c", time.Second)
		q.AddAfter("now", 0)
		q.AddAfter("past", math.MinInt64)
		q.AddAfter("never", math.MaxInt64)
		synctest.Wait()
		take(t, q, "now")
		take(t, q, "past")
		pass(time.Second - 1)
		length(t, q, 0)
		pass(1)
		take(t, q, "c")
		pass(4 * time.Second)
		take(t, q, "a")
		take(t, q, "b")
		length(t, q, 0)
	})
}

// TestDelayIsNotCancelled: programs set a deadline with AddAfter, and add the item
// meanwhile. They get both.
func TestDelayIsNotCancelled(t *testing.T) {
	both(t, func(t *testing.T, m maker) {
		q := m.delaying(clientgo.TypedDelayingQueueConfig[string]{})
		defer q.ShutDown()
		q.AddAfter("a", time.Hour)
		q.Add("a")
		take(t, q, "a")
		q.AddAfter("a", 2*time.Hour) // while it is handled
		q.Done("a")
		q.Add("b")
		q.AddAfter("b", time.Hour) // while it waits
		pass(time.Hour)
		length(t, q, 2)
		take(t, q, "b")
		take(t, q, "a")
		q.Done("a")
		q.Done("b")
		pass(time.Hour)
		length(t, q, 0)
	})
}

func TestDelayWakes(t *testing.T) {
	both(t, func(t *testing.T, m maker) {
		q := m.delaying(clientgo.TypedDelayingQueueConfig[string]{})
		start := time.Now()
		q.AddAfter("a", time.Minute)
		if item, shutdown := q.Get(); item != "a" || shutdown || time.Since(start) != time.Minute {
			t.Fatalf("got %v, shutdown %v, after %v; want a after one minute", item, shutdown, time.Since(start))
		}
		q.AddAfter("b", time.Minute)
		synctest.Wait()
		q.ShutDown()
		q.AddAfter("c", time.Minute)
		pass(time.Hour)
		ended(t, q)
	})
}

// foreign is a clock of a kind that a queue does not know.
type foreign struct{ clock.WithTicker }

func TestInjectedClock(t *testing.T) {
	both(t, func(t *testing.T, m maker) {
		fake := testclock.NewFakeClock(time.Now())
		for _, c := range []clock.WithTicker{fake, foreign{fake}} {
			q := m.delaying(clientgo.TypedDelayingQueueConfig[string]{Clock: c})
			q.AddAfter("b", 20*time.Second)
			q.AddAfter("a", 10*time.Second)
			synctest.Wait()
			if !fake.HasWaiters() {
				t.Fatal("nobody waits for the clock")
			}
			pass(time.Hour) // of another clock
			length(t, q, 0)
			fake.Step(9 * time.Second)
			synctest.Wait()
			length(t, q, 0)
			fake.Step(time.Second)
			synctest.Wait()
			take(t, q, "a")
			q.AddAfter("c", 5*time.Second)
			synctest.Wait()
			fake.Step(time.Minute)
			synctest.Wait()
			take(t, q, "c")
			take(t, q, "b")
			q.ShutDown()
		}
	})
}

// noted is a queue that notes what is done with it.
type noted struct {
	clientgo.TypedDelayingInterface[string]
	mu    sync.Mutex
	calls []string
}

func (n *noted) note(call string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls = append(n.calls, call)
}

func (n *noted) Add(item string) {
	n.note("Add " + item)
	n.TypedDelayingInterface.Add(item)
}

func (n *noted) AddAfter(item string, d time.Duration) {
	n.note("AddAfter " + item + " " + d.String())
	n.TypedDelayingInterface.AddAfter(item, d)
}

func (n *noted) ShutDown() {
	n.note("ShutDown")
	n.TypedDelayingInterface.ShutDown()
}

// TestCustomQueues: a queue of the program below the delays or the limits is used.
func TestCustomQueues(t *testing.T) {
	both(t, func(t *testing.T, m maker) {
		below := &noted{TypedDelayingInterface: m.delaying(clientgo.TypedDelayingQueueConfig[string]{})}
		q := m.delaying(clientgo.TypedDelayingQueueConfig[string]{Queue: below})
		q.AddAfter("a", time.Minute)
		q.AddAfter("b", 0)
		pass(time.Minute)
		take(t, q, "b")
		take(t, q, "a")
		q.ShutDown()
		if len(below.calls) != 3 || below.calls[0] != "Add b" || below.calls[1] != "Add a" || below.calls[2] != "ShutDown" {
			t.Fatalf("got calls %q, want Add b, Add a and ShutDown", below.calls)
		}
		below = &noted{TypedDelayingInterface: m.delaying(clientgo.TypedDelayingQueueConfig[string]{})}
		l := m.limited(clientgo.NewTypedItemFastSlowRateLimiter[string](time.Second, time.Minute, 1),
			clientgo.TypedRateLimitingQueueConfig[string]{DelayingQueue: below})
		l.AddRateLimited("a")
		l.AddRateLimited("a")
		l.ShutDown()
		if len(below.calls) != 3 || below.calls[0] != "AddAfter a 1s" || below.calls[1] != "AddAfter a 1m0s" {
			t.Fatalf("got calls %q, want three that begin with AddAfter a 1s and AddAfter a 1m0s", below.calls)
		}
	})
}

func TestRateLimited(t *testing.T) {
	both(t, func(t *testing.T, m maker) {
		q := m.limited(clientgo.NewTypedItemExponentialFailureRateLimiter[string](time.Second, 3*time.Second), clientgo.TypedRateLimitingQueueConfig[string]{})
		defer q.ShutDown()
		for retries, d := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second} {
			if n := q.NumRequeues("a"); n != retries {
				t.Fatalf("NumRequeues: %d, want %d", n, retries)
			}
			q.AddRateLimited("a")
			pass(d - 1)
			length(t, q, 0)
			pass(1)
			take(t, q, "a")
			q.Done("a")
		}
		q.AddRateLimited("a")
		synctest.Wait()
		q.Forget("a") // clears the limiter, and leaves the delay alone
		if n := q.NumRequeues("a"); n != 0 {
			t.Fatalf("NumRequeues: got %v, want 0", n)
		}
		pass(3 * time.Second)
		take(t, q, "a")
	})
}
