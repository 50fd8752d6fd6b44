//go:build !race

package workqueue_test

import (
	"context"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/retained"
	"github.com/vedette-io/vedette/workqueue"
)

// TestAllocations: adding, getting and ending an item allocates nothing once the queue has
// held as many items.
func TestAllocations(t *testing.T) {
	ctx := context.Background()
	keys := make([]string, 200)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	works := make([]workqueue.Work[string], len(keys))
	group := func(key string) string { return key[len(key)-1:] }
	for name, cfg := range map[string]workqueue.Config[string]{
		"zero":               {},
		"groups":             {Group: group},
		"serial":             {Serial: group},
		"limit":              {Limit: 1000},
		"groups, and serial": {Group: group, Serial: group},
	} {
		t.Run(name, func(t *testing.T) {
			q := workqueue.New(cfg)
			one := func() {
				for i, key := range keys {
					_ = q.AddWith(ctx, key, workqueue.Options{Priority: int8(i % 3)})
				}
				for range keys {
					w, _ := q.Get(ctx)
					_ = q.Done(w.Item)
				}
			}
			worker := q.Worker()
			byWorker := func() {
				for _, key := range keys {
					_ = q.Add(ctx, key)
				}
				for range keys {
					_, _ = worker.Next(ctx)
				}
				worker.Done()
			}
			many := func() {
				_, _ = q.AddAll(ctx, keys, workqueue.Options{After: time.Hour})
				_, _ = q.AddAll(ctx, keys, workqueue.Options{})
				for done := 0; done < len(keys); {
					n, _ := q.GetBatch(ctx, works)
					for _, w := range works[:n] {
						_ = q.Done(w.Item)
					}
					done += n
				}
			}
			for what, f := range map[string]func(){"one by one": one, "by a worker": byWorker, "many at once": many} {
				if n := testing.AllocsPerRun(100, f); n > 0 {
					t.Errorf("%s: got %v allocations for %d items, want none", what, n, len(keys))
				}
			}
			q.Close()
		})
	}
}

// TestManyDelays: many delayed items cost the memory that the documentation states, and no
// goroutine.
func TestManyDelays(t *testing.T) {
	const items = 200_000
	goroutines := runtime.NumGoroutine()
	q := workqueue.New(workqueue.Config[int]{})
	each := retained.Bytes(t, func() any {
		for i := range items {
			must(t, q.AddAfter(t.Context(), i, time.Hour+time.Duration(i*7919%items)*time.Millisecond))
		}
		return q
	}) / items
	if t.Logf("%d bytes for each item", each); each > 230 {
		t.Errorf("got %d bytes for each item", each)
	}
	if n := runtime.NumGoroutine() - goroutines; n > 0 {
		t.Errorf("got %d more goroutines, want none", n)
	}
	left, err := q.Drain(t.Context())
	if err != nil || len(left) != items {
		t.Fatalf("drain: got %d items and error %v, want %d items", len(left), err, items)
	}
	for i := range left[1:] {
		if left[i].Due.After(left[i+1].Due) {
			t.Fatal("items are out of order")
		}
	}
}

// TestFoldsWithoutWorkers: adding the same items again and again without a worker takes no
// more memory than adding them once.
func TestFoldsWithoutWorkers(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 1_000_000 {
		must(t, q.Add(t.Context(), "a"))
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 100_000 {
		t.Errorf("got %d allocated bytes", grown)
	}
	if n := q.Len(); n != 1 {
		t.Errorf("got %d items, want 1", n)
	}
}
