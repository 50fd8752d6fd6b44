package contract

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/workqueue"
)

// queueStage is a queue in fake time.
type queueStage struct {
	t *testing.T
	e Engine
}

// queuePoint is a requirement of the workqueue, and its test.
type queuePoint struct {
	name string
	test func(*queueStage)
}

var queuePoints = []queuePoint{
	{"29-items-are-joined-while-queued", joined},
	{"29-added-while-processed", addedWhileProcessed},
	{"29-never-at-two-workers", neverAtTwo},
	{"29-in-order", inOrder},
	{"29-shut-down", shutDown},
	{"29-shut-down-with-drain", drain},
	{"29-drain-of-items-that-wait", drainOfWaiting},
	{"29-done-of-an-item-that-waits", doneTwice},
	{"29-shut-down-ends-a-drain", drainAborted},
	{"30-add-after", addAfter},
	{"30-earliest-time-wins", earliest},
	{"30-rate-limited", rateLimited},
}

// open returns the queue, and shuts it down when the test ends.
func (s *queueStage) open(limiter workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string] {
	if limiter == nil {
		limiter = workqueue.NewTypedItemExponentialFailureRateLimiter[string](time.Second, time.Minute)
	}
	q := s.e.NewQueue(limiter)
	s.t.Cleanup(func() { q.ShutDown(); s.pass(time.Minute) })
	return q
}

func (s *queueStage) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// take gets all items, in order, and finishes them.
func take(q workqueue.TypedInterface[string]) (all []string) {
	for q.Len() > 0 {
		item, shutdown := q.Get()
		if shutdown {
			break
		}
		all = append(all, item)
		q.Done(item)
	}
	return all
}

func joined(s *queueStage) {
	q := s.open(nil)
	q.Add("x")
	q.Add("y")
	q.Add("x")
	equal(s.t, "length", q.Len(), 2)
	equal(s.t, "items", take(q), []string{"x", "y"})
}

func addedWhileProcessed(s *queueStage) {
	q := s.open(nil)
	q.Add("x")
	item, _ := q.Get()
	q.Add("x")
	q.Add("x")
	equal(s.t, "length while processed", q.Len(), 0)
	q.Done(item)
	equal(s.t, "items after", take(q), []string{"x"})
	q.Done("never added")
	equal(s.t, "length after Done of an item that no worker has", q.Len(), 0)
}

func neverAtTwo(s *queueStage) {
	q := s.open(nil)
	var mu sync.Mutex
	at := map[string]int{}
	var work sync.WaitGroup
	var handled atomic.Int32
	for range 8 {
		work.Go(func() {
			for {
				item, shutdown := q.Get()
				if shutdown {
					return
				}
				mu.Lock()
				if at[item]++; at[item] > 1 {
					s.t.Errorf("%s is processed by %d workers", item, at[item])
				}
				mu.Unlock()
				<-time.After(time.Millisecond)
				mu.Lock()
				at[item]--
				mu.Unlock()
				handled.Add(1)
				q.Done(item)
			}
		})
	}
	for i := range 300 {
		q.Add(fmt.Sprint(i % 3))
		if i%10 == 0 {
			<-time.After(time.Millisecond)
		}
	}
	s.pass(time.Second)
	q.ShutDown()
	work.Wait()
	if handled.Load() < 30 {
		s.t.Errorf("only %d items were handled", handled.Load())
	}
}

func inOrder(s *queueStage) {
	q := s.open(nil)
	for _, item := range []string{"c", "a", "b"} {
		q.Add(item)
	}
	got := make(chan string)
	equal(s.t, "items", take(q), []string{"c", "a", "b"})
	go func() {
		item, _ := q.Get()
		q.Done(item)
		got <- item
	}()
	synctest.Wait()
	select {
	case item := <-got:
		s.t.Errorf("Get of an empty queue returned %q", item)
	default:
	}
	q.Add("d")
	equal(s.t, "item", <-got, "d")
}

func shutDown(s *queueStage) {
	q := s.open(nil)
	q.Add("x")
	q.ShutDown()
	q.Add("y")
	equal(s.t, "shutting down", q.ShuttingDown(), true)
	item, shutdown := q.Get()
	equal(s.t, "item", fmt.Sprintf("%s, %v", item, shutdown), "x, false")
	q.Done(item)
	if _, shutdown = q.Get(); !shutdown {
		s.t.Error("an empty queue has items after ShutDown")
	}
}

// begin calls ShutDownWithDrain on another goroutine, and returns whether it has
// returned.
func begin(q workqueue.TypedInterface[string]) *atomic.Bool {
	var over atomic.Bool
	go func() { q.ShutDownWithDrain(); over.Store(true) }()
	synctest.Wait()
	return &over
}

func drain(s *queueStage) {
	q := s.open(nil)
	q.Add("x")
	item, _ := q.Get()
	over := begin(q)
	equal(s.t, "drained while an item is processed", over.Load(), false)
	q.Done(item)
	synctest.Wait()
	equal(s.t, "over", over.Load(), true)
}

func drainOfWaiting(s *queueStage) {
	q := s.open(nil)
	q.Add("x")
	q.Add("y")
	item, _ := q.Get()
	over := begin(q)
	q.Done(item)
	synctest.Wait()
	s.e.differs(s.t, "drain", over.Load(), true, false)
	equal(s.t, "items", take(q), []string{"y"})
	synctest.Wait()
	equal(s.t, "over", over.Load(), true)
}

func doneTwice(s *queueStage) {
	q := s.open(nil)
	q.Add("x")
	q.Done("x")
	s.e.differs(s.t, "done twice", q.Len(), 2, 1)
}

func drainAborted(s *queueStage) {
	q := s.open(nil)
	q.Add("x")
	item, _ := q.Get()
	over := begin(q)
	q.ShutDown()
	synctest.Wait()
	equal(s.t, "drained after ShutDown", over.Load(), true)
	q.Done(item)
}

func addAfter(s *queueStage) {
	q := s.open(nil)
	q.AddAfter("now", 0)
	q.AddAfter("before", -time.Second)
	equal(s.t, "items", take(q), []string{"now", "before"})
	q.AddAfter("x", time.Minute)
	s.pass(59 * time.Second)
	equal(s.t, "length before", q.Len(), 0)
	s.pass(2 * time.Second)
	equal(s.t, "items", take(q), []string{"x"})
}

func earliest(s *queueStage) {
	q := s.open(nil)
	q.AddAfter("x", time.Hour)
	q.AddAfter("x", time.Minute)
	q.AddAfter("x", 2*time.Minute)
	s.pass(61 * time.Second)
	equal(s.t, "items", take(q), []string{"x"})
	s.pass(2 * time.Hour)
	equal(s.t, "items later", take(q), []string{})
}

func rateLimited(s *queueStage) {
	q := s.open(nil)
	for i, wait := range []time.Duration{1, 2, 4} {
		q.AddRateLimited("x")
		equal(s.t, "failures", q.NumRequeues("x"), i+1)
		s.pass(wait*time.Second - time.Millisecond)
		equal(s.t, "length before", q.Len(), 0)
		s.pass(2 * time.Millisecond)
		equal(s.t, "items", take(q), []string{"x"})
	}
	q.AddRateLimited("x")
	q.Forget("x")
	equal(s.t, "failures after Forget", q.NumRequeues("x"), 0)
	s.pass(9 * time.Second)
	equal(s.t, "items: Forget clears only the limiter", take(q), []string{"x"})
	q.AddRateLimited("x")
	s.pass(time.Second + time.Millisecond)
	equal(s.t, "items after Forget", take(q), []string{"x"})
}
