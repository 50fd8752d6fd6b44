package workqueue_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/workqueue"
)

// pass advances the time, and waits until all goroutines are blocked.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{})
		after := func(item string, d time.Duration) { must(t, q.AddAfter(noWait(), item, d)) }
		after("b", 3*time.Second)
		after("a", 2*time.Second)
		after("a", 4*time.Second) // the earliest counts
		after("c", 5*time.Second)
		after("c", time.Second)
		after("now", 0)
		after("past", math.MinInt64)
		after("never", math.MaxInt64)
		equal(t, deal(t, q), []string{"now", "past"})
		pass(time.Second - 1)
		equal(t, deal(t, q), nil)
		pass(1)
		equal(t, deal(t, q), []string{"c"})
		pass(4 * time.Second)
		equal(t, deal(t, q), []string{"a", "b"}) // c and a were due once
		equal(t, q.Stats().Delayed, 1)
		q.Close()
	})
}

// TestDelayWakes: a waiting worker gets a delayed item when its delay ends.
func TestDelayWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{})
		must(t, q.AddAfter(t.Context(), "late", time.Hour))
		must(t, q.AddAfter(t.Context(), "early", time.Minute))
		start := time.Now()
		for i, want := range []string{"early", "late"} {
			w, err := q.Get(t.Context())
			must(t, err)
			if since := time.Since(start); w.Item != want || since != []time.Duration{time.Minute, time.Hour}[i] || w.Waited != 0 {
				t.Fatalf("got %+v after %v, want %s at its time", w, since, want)
			}
		}
	})
}

func TestAddEndsADelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{})
		must(t, q.AddAfter(noWait(), "a", time.Second))
		add(t, q, "a")
		equal(t, deal(t, q), []string{"a"})
		pass(time.Minute)
		equal(t, deal(t, q), nil)
		add(t, q, "a") // a ready item is not delayed
		must(t, q.AddAfter(noWait(), "a", time.Second))
		equal(t, deal(t, q), []string{"a"})
		pass(time.Minute)
		equal(t, deal(t, q), nil)
	})
}

// TestDelayOfWhatIsHandled: the delay of a handled item runs from the call, and does not
// end before Done.
func TestDelayOfWhatIsHandled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{})
		add(t, q, "a", "b")
		equal(t, take(t, q, 2), []string{"a", "b"})
		must(t, q.AddAfter(noWait(), "a", time.Second))
		must(t, q.AddAfter(noWait(), "b", time.Minute))
		pass(10 * time.Second)
		equal(t, deal(t, q), nil)
		must(t, q.Done("a", "b"))
		equal(t, deal(t, q), []string{"a"})
		pass(50 * time.Second)
		equal(t, deal(t, q), []string{"b"})
	})
}

func TestPriorities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{})
		addWith(t, q, workqueue.Options{Priority: -100}, "low1", "low2")
		addWith(t, q, workqueue.Options{}, "a", "b")
		addWith(t, q, workqueue.Options{Priority: 127}, "high")
		addWith(t, q, workqueue.Options{Priority: -128}, "a", "lowest") // a stays
		equal(t, deal(t, q), []string{"high", "a", "b", "low1", "low2", "lowest"})

		q = workqueue.New(workqueue.Config[string]{Age: math.MaxInt64}) // practically no aging
		for _, p := range []int8{-128, 0, 127} {
			addWith(t, q, workqueue.Options{Priority: p}, strconv.Itoa(int(p)))
			pass(24 * time.Hour)
		}
		equal(t, deal(t, q), []string{"127", "0", "-128"})
	})
}

// TestMovesUp: an item that is added with a higher priority moves behind the items of that
// priority, unless its current position is further in front.
func TestMovesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{Age: time.Second})
		addWith(t, q, workqueue.Options{}, "old")
		pass(10 * time.Second)
		addWith(t, q, workqueue.Options{}, "a", "b")
		addWith(t, q, workqueue.Options{Priority: 1}, "c", "b", "old")
		equal(t, deal(t, q), []string{"old", "c", "b", "a"})
	})
}

// TestNothingStarves: there is one item of priority 0, and each handled item is replaced by
// one of priority p. The first item is handed out after p times Age.
func TestNothingStarves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[int]{Age: time.Second})
		add(t, q, -1)
		for i := range 100 {
			addWith(t, q, workqueue.Options{Priority: 20}, i)
			got := deal1(t, q)
			if waited := time.Duration(i) * 500 * time.Millisecond; (got == -1) != (waited == 20*time.Second+500*time.Millisecond) {
				t.Fatalf("got priority %d after %v", got, waited)
			}
			if got == -1 {
				return
			}
			pass(500 * time.Millisecond)
		}
		t.Fatal("the item of priority 0 starved")
	})
}

func deal1(t *testing.T, q *workqueue.Queue[int]) int {
	t.Helper()
	l := take(t, q, 1)
	must(t, q.Done(l...))
	return l[0]
}

func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{Limiter: workqueue.Exponential{Base: time.Second, Max: 3 * time.Second, Jitter: -1}})
		addWith(t, q, workqueue.Options{Priority: 7}, "a")
		for i, want := range []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second} {
			w, err := q.Get(noWait())
			must(t, err)
			if w.Retries != i || q.Retries("a") != i || w.Priority != 7 {
				t.Fatalf("got %+v with %d retries in the queue, want %d retries and priority 7", w, q.Retries("a"), i)
			}
			d, err := q.Retry(noWait(), "a")
			must(t, err)
			must(t, q.Done("a"))
			equal(t, d, want)
			pass(d)
		}
		equal(t, take(t, q, 1), []string{"a"})
		q.Forget("a")
		equal(t, q.Retries("a"), 0)
		_, err := q.Retry(noWait(), "a")
		must(t, err)
		equal(t, q.Retries("a"), 1)
		q.Forget("none")
		pass(time.Second)
		must(t, q.Done("a"))
		equal(t, deal(t, q), []string{"a"})
		equal(t, q.Retries("a"), 0) // done, so the queue keeps no data of it
	})
}

func TestLimiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := workqueue.Exponential{Jitter: -1}
		equal(t, []time.Duration{e.Delay(0), e.Delay(3), e.Delay(30), e.Delay(math.MaxInt)},
			[]time.Duration{5 * time.Millisecond, 40 * time.Millisecond, 1000 * time.Second, 1000 * time.Second})
		huge := workqueue.Exponential{Base: time.Hour, Max: math.MaxInt64, Jitter: -1}
		equal(t, huge.Delay(1000), math.MaxInt64)
		seen := map[time.Duration]bool{}
		for range 1000 {
			d := workqueue.Exponential{Base: time.Second, Jitter: 0.5}.Delay(1)
			if d < time.Second || d > 2*time.Second {
				t.Fatalf("got a delay of %v, want 1 s to 2 s", d)
			}
			seen[d] = true
		}
		if len(seen) < 900 {
			t.Fatalf("got %d of 1000 items", len(seen))
		}

		b := workqueue.NewBucket(2, 3)
		delays := func(n int) (l []time.Duration) {
			for range n {
				l = append(l, b.Delay(0))
			}
			return l
		}
		const half = 500 * time.Millisecond
		equal(t, delays(5), []time.Duration{0, 0, 0, half, 2 * half})
		pass(2 * half)
		equal(t, delays(2), []time.Duration{half, 2 * half})
		pass(time.Hour)
		equal(t, delays(4), []time.Duration{0, 0, 0, half})

		l := workqueue.Longest(e, workqueue.NewBucket(1, 1))
		equal(t, []time.Duration{l.Delay(0), l.Delay(0), l.Delay(20)}, []time.Duration{5 * time.Millisecond, time.Second, 1000 * time.Second})
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{})
		add(t, q, "a", "b")
		must(t, q.AddAfter(noWait(), "later", time.Second))
		equal(t, take(t, q, 1), []string{"a"})
		q.Close()
		q.Close()
		if err := q.Add(noWait(), "new"); !errors.Is(err, workqueue.ErrClosed) {
			t.Fatalf("Add: got error %v, want %v", err, workqueue.ErrClosed)
		}
		add(t, q, "a") // the queue holds a, and hands it out again
		pass(time.Minute)
		equal(t, deal(t, q), []string{"b"}) // not later
		ended := make(chan error, 1)
		go func() {
			_, err := q.Get(t.Context())
			ended <- err
		}()
		synctest.Wait()
		if len(ended) != 0 {
			t.Fatal("Get returned ErrClosed although a may become ready again")
		}
		must(t, q.Done("a"))
		must(t, <-ended)
		must(t, q.Done("a"))
		if _, err := q.Get(t.Context()); !errors.Is(err, workqueue.ErrClosed) {
			t.Fatalf("Get: got error %v, want %v", err, workqueue.ErrClosed)
		}
		left, err := q.Drain(t.Context())
		must(t, err)
		if len(left) != 1 || left[0].Item != "later" || left[0].Due.IsZero() {
			t.Fatalf("got %+v, want the item later with its time", left)
		}
	})
}

// TestDrain: Drain waits for ready and handled items. It returns delayed items, and those
// that wait for them in their serial name.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{Serial: first, Limiter: workqueue.Exponential{}})
		must(t, q.AddAfter(noWait(), "later", time.Hour))
		add(t, q, "a1", "b1", "b2", "a2")
		equal(t, take(t, q, 2), []string{"a1", "b1"})
		var left []workqueue.Leftover[string]
		drained := make(chan error, 1)
		go func() {
			var err error
			left, err = q.Drain(t.Context())
			drained <- err
		}()
		synctest.Wait()
		_, err := q.Retry(noWait(), "a1")
		must(t, err)
		must(t, q.Done("a1", "b1"))
		equal(t, take(t, q, 5), []string{"b2"})
		synctest.Wait()
		if len(drained) != 0 {
			t.Fatal("b2 is still handled")
		}
		must(t, q.Done("b2"))
		must(t, <-drained)
		var items []string
		for _, l := range left {
			items = append(items, l.Item)
		}
		equal(t, items, []string{"a1", "a2", "later"})
		equal(t, []int{left[0].Retries, left[1].Retries}, []int{1, 0})
		if again, err := q.Drain(t.Context()); len(again) != 0 || err != nil {
			t.Fatalf("a second drain: got %v and error %v, want nothing", again, err)
		}
	})
}

// TestDrainGivesUp: when its context ends, Drain returns the pending items and leaves
// handled items to their workers.
func TestDrainGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{})
		add(t, q, "a", "b", "c")
		must(t, q.AddAfter(noWait(), "d", time.Hour))
		equal(t, take(t, q, 2), []string{"a", "b"})
		add(t, q, "b")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		left, err := q.Drain(ctx)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got error %v, want %v", err, context.DeadlineExceeded)
		}
		var items []string
		for _, l := range left {
			items = append(items, l.Item)
		}
		equal(t, items, []string{"c", "b", "d"})
		must(t, q.Done("a", "b"))
		if _, err := q.Get(t.Context()); !errors.Is(err, workqueue.ErrClosed) {
			t.Fatalf("Get: got error %v, want %v", err, workqueue.ErrClosed)
		}
		if err := q.Add(t.Context(), "a"); !errors.Is(err, workqueue.ErrClosed) {
			t.Fatalf("Add: got error %v, want %v", err, workqueue.ErrClosed)
		}
		equal(t, q.Stats(), workqueue.Stats{
			Adds: 4 + 1, Delays: 1, Closed: true, Depths: []workqueue.Depth{{}},
			Latency: q.Stats().Latency, Work: q.Stats().Work,
		})
	})
}

func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{})
		add(t, q, "a", "b", "c")
		pass(2 * time.Second)
		equal(t, q.Stats().Oldest, 2*time.Second)
		equal(t, take(t, q, 1), []string{"a"})
		pass(time.Second)
		equal(t, take(t, q, 1), []string{"b"})
		pass(time.Second)
		s := q.Stats()
		equal(t, []time.Duration{s.Oldest, s.Longest, s.Unfinished}, []time.Duration{4 * time.Second, 2 * time.Second, 3 * time.Second})
		must(t, q.Done("a", "b"))
		s = q.Stats()
		bucket := func(d time.Duration) int { return slices.Index(workqueue.Bounds[:], d) }
		latency := workqueue.Times{Count: 2, Sum: 5 * time.Second, Max: 3 * time.Second}
		latency.Buckets[bucket(3*time.Second)] = 2
		work := workqueue.Times{Count: 2, Sum: 3 * time.Second, Max: 2 * time.Second}
		work.Buckets[bucket(time.Second)] = 1
		work.Buckets[bucket(3*time.Second)] = 1
		equal(t, s, workqueue.Stats{
			Adds: 3, Latency: latency, Work: work, Waiting: 1, Depths: []workqueue.Depth{{Waiting: 1}}, Oldest: 4 * time.Second,
		})
	})
}

// TestManyDueAtOnce: more items than a batch become due at once, and keep their order.
func TestManyDueAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[int]{})
		var want []int
		for i := range 1000 {
			must(t, q.AddAfter(noWait(), i, time.Second))
			want = append(want, i)
		}
		pass(time.Second)
		equal(t, q.Len(), 1000)
		equal(t, deal(t, q), want)
	})
}

// TestTimesOfWhatIsLeft: the ages of items in the inbox count from their Add, however long
// no call has taken the lock.
func TestTimesOfWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{})
		pass(3 * time.Second)
		add(t, q, "a")
		pass(2 * time.Second)
		add(t, q, "b")
		pass(5 * time.Second)
		equal(t, q.Stats().Oldest, 7*time.Second)
		for _, want := range []time.Duration{7 * time.Second, 5 * time.Second} {
			w, err := q.Get(noWait())
			must(t, err)
			equal(t, w.Waited, want)
		}
		q.Close()
	})
}
