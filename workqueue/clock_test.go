package workqueue_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vedette-io/vedette/workqueue"
)

// TestClock: a queue uses its configured clock. A delay ends by that clock, not by real
// time.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now atomic.Int64 // atomic, because the timer also reads it
		now.Store(int64(5 * time.Hour))
		q := workqueue.New(workqueue.Config[string]{Age: time.Second, Clock: func() time.Duration { return time.Duration(now.Load()) }})
		must(t, q.AddWith(t.Context(), "low", workqueue.Options{Priority: -2}))
		must(t, q.AddAfter(t.Context(), "delayed", 10*time.Second))
		now.Add(int64(3 * time.Second))
		must(t, q.Add(t.Context(), "a")) // low has aged by more than the difference
		for _, want := range []string{"low", "a"} {
			w, _ := q.TryGet()
			equal(t, w.Item, want)
			equal(t, w.Waited, map[string]time.Duration{"low": 3 * time.Second, "a": 0}[want])
		}
		<-time.After(time.Hour)
		synctest.Wait()
		if w, ok := q.TryGet(); ok {
			t.Fatalf("TryGet: got %v, want no item", w)
		}
		now.Add(int64(7 * time.Second))
		w, ok := q.TryGet()
		equal(t, w.Item, "delayed")
		equal(t, ok, true)
		equal(t, q.Stats().Unfinished, 2*7*time.Second)
		q.Close()
	})
}

// TestStandingClock: with a clock that stands still, items are ordered by priority, then by
// the order of the calls.
func TestStandingClock(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{Clock: func() time.Duration { return 0 }})
	must(t, q.Add(t.Context(), "b"))
	must(t, q.Add(t.Context(), "a"))
	must(t, q.AddWith(t.Context(), "high", workqueue.Options{Priority: 1}))
	for _, want := range []string{"high", "b", "a"} {
		w, err := q.Get(t.Context())
		must(t, err)
		equal(t, w.Item, want)
		equal(t, w.Waited, 0)
		must(t, q.Done(w.Item))
	}
	equal(t, q.Stats().Work.Sum, 0)
}
