package delta_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/vedette-io/vedette/delta"
)

func fill(t *testing.T, q *delta.Queue, deltas ...delta.Delta) {
	t.Helper()
	for _, d := range deltas {
		if err := q.Put(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPopKeepsWhatFails: whatever way process fails, the delta is the oldest
// again, for Pop and for Get.
func TestPopKeepsWhatFails(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		name string
		fail func() error
	}{
		{"by an error", func() error { return failed }},
		{"by a panic", func() error { panic(failed) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := delta.NewQueue(delta.Limits{})
			fill(t, q, upsert(1, 10), upsert(2, 10))
			for range 2 {
				err := recovered(func() error {
					return q.Pop(t.Context(), func(delta.Delta) error { return c.fail() })
				})
				if !errors.Is(err, failed) {
					t.Fatalf("Pop: %v, want what process came to", err)
				}
			}
			if n, bytes := q.Len(); n != 2 || bytes != 20 {
				t.Errorf("Len: %d, %d; want 2, 20", n, bytes)
			}
			batch, err := q.Get(t.Context())
			if err != nil || !slices.Equal(versions(batch), []int{1, 2}) {
				t.Errorf("Get: %v, %v", versions(batch), err)
			}
		})
	}
	t.Run("by ending its goroutine", func(t *testing.T) {
		q := delta.NewQueue(delta.Limits{})
		fill(t, q, upsert(1, 10))
		var work sync.WaitGroup
		work.Go(func() {
			_ = q.Pop(t.Context(), func(delta.Delta) error { runtime.Goexit(); return nil })
		})
		work.Wait()
		if batch, err := q.Get(t.Context()); err != nil || len(batch) != 1 {
			t.Errorf("Get: %v, %v", batch, err)
		}
	})
}

// TestOneConsumerAtATime: while a delta is processed, another Pop and a Get
// wait, for it might come back; and Put waits for its room.
func TestOneConsumerAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delta.NewQueue(delta.Limits{Deltas: 2})
		fill(t, q, upsert(1, 1), upsert(2, 1))
		finish := make(chan error)
		var popped []int
		var put, got bool
		var work sync.WaitGroup
		pop := func(f func() error) {
			work.Go(func() {
				_ = q.Pop(t.Context(), func(d delta.Delta) error {
					popped = append(popped, int(d.Version))
					return f()
				})
			})
		}
		pop(func() error { return <-finish })
		synctest.Wait()
		pop(func() error { return nil })
		work.Go(func() {
			if err := q.Put(t.Context(), upsert(3, 1)); err != nil {
				t.Error(err)
			}
			put = true
		})
		synctest.Wait()
		if !slices.Equal(popped, []int{1}) || put {
			t.Fatalf("while the first is processed: popped %v, put %v", popped, put)
		}
		finish <- errors.New("failed")
		work.Wait()
		if !slices.Equal(popped, []int{1, 1}) || !put {
			t.Fatalf("after it failed: popped %v, put %v", popped, put)
		}

		pop(func() error { return <-finish })
		synctest.Wait()
		work.Go(func() {
			batch, err := q.Get(t.Context())
			if got = true; err != nil || !slices.Equal(versions(batch), []int{3}) {
				t.Errorf("Get: %v, %v", versions(batch), err)
			}
		})
		synctest.Wait()
		if got {
			t.Error("Get did not wait for Pop")
		}
		finish <- nil
		work.Wait()
	})
}

// TestPopOfAClosedQueue: what is in process may come back, so that a closed
// queue is empty only when it is done.
func TestPopOfAClosedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delta.NewQueue(delta.Limits{})
		fill(t, q, upsert(1, 1))
		finish := make(chan error)
		var work sync.WaitGroup
		work.Go(func() { _ = q.Pop(t.Context(), func(delta.Delta) error { return <-finish }) })
		synctest.Wait()
		q.Close()
		calls := 0
		work.Go(func() {
			for {
				err := q.Pop(t.Context(), func(delta.Delta) error { calls++; return nil })
				if err != nil {
					if !errors.Is(err, delta.ErrClosed) {
						t.Errorf("Pop: %v", err)
					}
					return
				}
			}
		})
		synctest.Wait()
		finish <- errors.New("failed")
		work.Wait()
		if calls != 1 {
			t.Errorf("%d calls, want 1: the one that came back", calls)
		}
	})
}

func TestPopEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		q := delta.NewQueue(delta.Limits{})
		var work sync.WaitGroup
		work.Go(func() {
			if err := q.Pop(ctx, func(delta.Delta) error { return nil }); !errors.Is(err, cause) {
				t.Errorf("Pop: %v", err)
			}
		})
		synctest.Wait()
		cancel(cause)
		work.Wait()
	})
}

// TestSyncedWithTheFirstEnd: an End counts when it has been processed, not when
// it was seen; and not before what stands in front of it.
func TestSyncedWithTheFirstEnd(t *testing.T) {
	end := delta.Delta{Kind: delta.End, Version: 9}
	pop := func(t *testing.T, q *delta.Queue, err error) {
		t.Helper()
		if got := q.Pop(t.Context(), func(delta.Delta) error { return err }); !errors.Is(got, err) {
			t.Fatal(got)
		}
	}
	for _, c := range []struct {
		name string
		take func(*testing.T, *delta.Queue)
		want bool
	}{
		{"Get", func(t *testing.T, q *delta.Queue) { _, _ = q.Get(t.Context()) }, true},
		{"Pop of what comes before", func(t *testing.T, q *delta.Queue) { pop(t, q, nil) }, false},
		{"Pop that fails at it", func(t *testing.T, q *delta.Queue) { pop(t, q, nil); pop(t, q, errors.New("failed")) }, false},
		{"Pop of it", func(t *testing.T, q *delta.Queue) { pop(t, q, nil); pop(t, q, nil) }, true},
		{"Pop of what comes before, then Get", func(t *testing.T, q *delta.Queue) { pop(t, q, nil); _, _ = q.Get(t.Context()) }, true},
		{"twice", func(t *testing.T, q *delta.Queue) {
			_, _ = q.Get(t.Context())
			fill(t, q, end)
			pop(t, q, nil)
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := delta.NewQueue(delta.Limits{})
			fill(t, q, upsert(1, 1), end)
			if q.HasSynced() {
				t.Fatal("synced before anything was taken")
			}
			c.take(t, q)
			if got := q.HasSynced(); got != c.want {
				t.Errorf("HasSynced: %v, want %v", got, c.want)
			}
			select {
			case <-q.Synced():
				if !c.want {
					t.Error("Synced is closed")
				}
			default:
				if c.want {
					t.Error("Synced is open")
				}
			}
		})
	}
}

// TestPopReusesMemory holds the steady state of a queue that is never empty: it
// must not grow with what has gone through it.
func TestPopReusesMemory(t *testing.T) {
	q := delta.NewQueue(delta.Limits{})
	fill(t, q, upsert(1, 0), upsert(2, 0), upsert(3, 0))
	want := 1
	process := func(d delta.Delta) error {
		if int(d.Version) != want {
			t.Fatalf("got %d, want %d", d.Version, want)
		}
		want++
		return nil
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for next := 4; next < 10_000; next++ {
		fill(t, q, upsert(next, 0))
		if err := q.Pop(t.Context(), process); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	// Keeping what was popped takes more than 1 MB.
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 256<<10 {
		t.Errorf("%d bytes allocated", grown)
	}
}
