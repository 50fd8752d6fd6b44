package workqueue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/workqueue"
)

// revision is an item that is different for each change.
type revision struct {
	object, version int
}

// witness checks the order and exclusiveness of items for all producers and workers.
type witness struct {
	q       *workqueue.Queue[revision]
	busy    [50]atomic.Int32 // number of workers that have the object
	version [50]atomic.Int64 // last version that was done
	done    atomic.Int64
	failed  atomic.Int64
	wrong   atomic.Pointer[string]
}

func (w *witness) complain(what string) { w.wrong.Store(&what) }

func (w *witness) work(ctx context.Context, some int, random *rand.Rand) {
	into := make([]workqueue.Work[revision], some)
	for {
		n, err := w.q.GetBatch(ctx, into)
		if err != nil {
			return
		}
		for _, work := range into[:n] {
			r := work.Item
			if w.busy[r.object].Add(1) > 1 {
				w.complain("two workers have the same object")
			}
			if work.Retries == 0 && random.IntN(20) == 0 {
				w.failed.Add(1)
				if _, err := w.q.Retry(ctx, r); err != nil {
					w.complain("Retry: " + err.Error())
				}
			} else {
				if last := w.version[r.object].Swap(int64(r.version)); last != int64(r.version)-1 {
					w.complain("a version is out of order, lost or duplicated")
				}
				w.done.Add(1)
			}
			w.busy[r.object].Add(-1)
			if err := w.q.Done(r); err != nil {
				w.complain("Done: " + err.Error())
			}
		}
	}
}

// split returns a source for another goroutine.
func split(random *rand.Rand) *rand.Rand {
	return rand.New(rand.NewPCG(random.Uint64(), random.Uint64()))
}

// TestConcurrently: with many producers and workers, failures and a drain, the revisions of
// each object arrive in order, one at a time and once.
func TestConcurrently(t *testing.T) {
	w := &witness{}
	w.q = workqueue.New(workqueue.Config[revision]{
		Limit:   100,
		Group:   func(r revision) string { return strconv.Itoa(r.object % 3) },
		Serial:  func(r revision) string { return strconv.Itoa(r.object) },
		Limiter: workqueue.Exponential{Base: time.Microsecond, Max: 10 * time.Microsecond},
	})
	const producers, versions = 5, 200
	random := testinput.Rand(t)
	var workers, adders sync.WaitGroup
	for i := range 6 {
		random := split(random)
		workers.Go(func() { w.work(t.Context(), i+1, random) })
	}
	for p := range producers {
		random := split(random)
		adders.Go(func() {
			for v := range versions {
				for o := p; o < len(w.busy); o += producers {
					r := revision{object: o, version: v + 1}
					o := workqueue.Options{Priority: int8(random.IntN(5))}
					if err := w.q.AddWith(t.Context(), r, o); err != nil {
						w.complain("Add: " + err.Error())
					}
				}
			}
		})
	}
	adders.Wait()
	patience.Until(t, "all versions are done", func() string { // a drain would return retries
		if n, want := w.done.Load(), int64(versions*len(w.busy)); n < want && w.wrong.Load() == nil {
			return fmt.Sprintf("%d of %d are done, queue %+v", n, want, w.q.Stats())
		}
		return ""
	})
	left, err := w.q.Drain(t.Context())
	workers.Wait()
	if wrong := w.wrong.Load(); wrong != nil {
		t.Fatal(*wrong)
	}
	if err != nil || len(left) != 0 {
		t.Fatalf("drain: got error %v and items %v, want neither", err, left)
	}
	if s := w.q.Stats(); s.Adds != uint64(versions*len(w.busy)) || s.Retries != uint64(w.failed.Load()) || s.Work.Count != s.Adds+s.Retries {
		t.Fatalf("got %+v, want %d adds and %d retries", s, versions*len(w.busy), w.failed.Load())
	}
}

// TestNothingIsLostAtTheEnd: producers and workers run at full speed, and the context of a
// drain ends. Each accepted item is either handed out or returned.
func TestNothingIsLostAtTheEnd(t *testing.T) {
	for round := range 30 {
		q := workqueue.New(workqueue.Config[int]{Limit: []int{50, 0}[round/2%2]})
		var accepted, handled sync.Map
		var all sync.WaitGroup
		begun := make(chan struct{}, 1)
		for p := range 4 {
			all.Go(func() {
				for i := p; ; i += 4 {
					o := workqueue.Options{Priority: int8(i % 3), After: time.Duration(i%5) * 10 * time.Microsecond}
					if err := q.AddWith(context.Background(), i, o); err != nil {
						return
					}
					accepted.Store(i, true)
				}
			})
			all.Go(func() {
				worker := q.Worker()
				for {
					w, err := worker.Next(context.Background())
					if err != nil {
						return
					}
					if _, twice := handled.LoadOrStore(w.Item, true); twice {
						t.Error("twice")
					}
					if w.Item > 100*round {
						select {
						case begun <- struct{}{}:
						default:
						}
					}
				}
			})
		}
		<-begun
		ctx, cancel := context.WithCancel(context.Background())
		if round%2 == 0 {
			cancel()
		}
		left, err := q.Drain(ctx)
		cancel()
		all.Wait()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		for _, l := range left {
			if _, twice := handled.LoadOrStore(l.Item, true); twice {
				t.Fatal("an item was both handed out and returned")
			}
		}
		accepted.Range(func(item, _ any) bool {
			if _, ok := handled.Load(item); !ok {
				t.Fatal("lost: ", item)
			}
			return true
		})
	}
}

// TestCancelLosesNothing: workers cancel their calls again and again while items arrive.
func TestCancelLosesNothing(t *testing.T) {
	q := workqueue.New(workqueue.Config[int]{Limit: 10})
	const items = 5000
	var got atomic.Int64
	var all sync.WaitGroup
	random := testinput.Rand(t)
	for range 4 {
		random := split(random)
		all.Go(func() {
			for got.Load() < items {
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(50))*time.Microsecond)
				if w, err := q.Get(ctx); err == nil {
					got.Add(1)
					_ = q.Done(w.Item)
				}
				cancel()
			}
		})
	}
	for i := range items {
		if err := q.Add(context.Background(), i); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	if n := got.Load(); n != items {
		t.Fatalf("got %v, want %v", n, items)
	}
}

// TestWakes: each item wakes a waiting worker, even if other workers take long or the woken
// one gives up.
func TestWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[int]{})
		busy := make(chan int, 10)
		release := make(chan struct{})
		for range 5 {
			go func() {
				w, err := q.Get(t.Context())
				busy <- w.Item
				<-release
				if err = errors.Join(err, q.Done(w.Item)); err != nil {
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		addWith(t, q, workqueue.Options{}, 1, 2, 3) // each woken worker wakes the next
		synctest.Wait()
		equal(t, len(busy), 3)
		add(t, q, 4, 5)
		synctest.Wait()
		equal(t, len(busy), 5)
		close(release)
	})
}

// TestWakeOfOneThatGivesUp: the signal for an item reaches a worker whose context has just
// ended. Another waiting worker gets the item.
func TestWakeOfOneThatGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 200 {
			q := workqueue.New(workqueue.Config[int]{})
			ctx, cancel := context.WithCancel(t.Context())
			got := make(chan error, 2)
			for _, c := range []context.Context{t.Context(), ctx} {
				go func() {
					_, err := q.Get(c)
					got <- err
				}()
				synctest.Wait()
			}
			cancel()
			add(t, q, 1)
			synctest.Wait()
			if len(got) < 2 {
				t.Fatal("no worker took the item")
			}
			if a, b := <-got, <-got; errors.Is(a, context.Canceled) == errors.Is(b, context.Canceled) {
				t.Fatalf("got errors %v and %v, want exactly one context.Canceled", a, b)
			}
		}
	})
}

// TestNobodySleepsBesideAnItem: an item that is added between a worker's check and its wait
// wakes that worker.
func TestNobodySleepsBesideAnItem(t *testing.T) {
	q := workqueue.New(workqueue.Config[int]{})
	ctx, cancel := context.WithCancel(t.Context())
	handled := make(chan int, 1)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	all.Go(func() { // only one worker: an item would also wake a second one
		for {
			w, err := q.Get(ctx)
			if err != nil {
				return
			}
			_ = q.Done(w.Item)
			handled <- w.Item
		}
	})
	n := 0
	for i := range 100_000 {
		for range i % 1499 { // to vary the moment of the Add
			n++
		}
		must(t, q.Add(ctx, i))
		patience.Receive(t, "a worker for an item that is ready", handled, func() string { return fmt.Sprint("item ", i) })
	}
	runtime.KeepAlive(n)
}
