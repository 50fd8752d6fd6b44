package delta_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// upsert returns a delta that can be told from others by its version.
func upsert(v, bytes int) delta.Delta {
	return delta.Delta{Kind: delta.Upsert, Version: wire.Version(v), Record: wire.Record{Body: make([]byte, bytes)}}
}

func versions(b delta.Batch) []int {
	var vs []int
	for _, d := range b {
		vs = append(vs, int(d.Version))
	}
	return vs
}

// TestQueueAgainstModel plays random calls against a slice. Calls that would
// wait are made with a context that is done.
func TestQueueAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := delta.Limits{Deltas: rapid.IntRange(1, 5).Draw(t, "deltas"), Bytes: rapid.IntRange(1, 100).Draw(t, "bytes")}
		q := delta.NewQueue(limits)
		var model []int
		bytes, next, closed := 0, 0, false
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				size := rapid.IntRange(0, 120).Draw(t, "size")
				room := len(model) == 0 || len(model) < limits.Deltas && bytes+size <= limits.Bytes
				if !room && !closed {
					return // it would wait; TestPutWaits looks at that
				}
				err := q.Put(context.Background(), upsert(next, size))
				if closed != errors.Is(err, delta.ErrClosed) || !closed && err != nil {
					t.Fatalf("Put: %v, closed: %v", err, closed)
				}
				if !closed {
					model, bytes, next = append(model, next), bytes+size, next+1
				}
			},
			"get": func(t *rapid.T) {
				if len(model) == 0 && !closed {
					return
				}
				batch, err := q.Get(context.Background())
				if len(model) == 0 {
					if !errors.Is(err, delta.ErrClosed) {
						t.Fatalf("Get of a closed queue: %v", err)
					}
					return
				}
				if err != nil || !slices.Equal(versions(batch), model) {
					t.Fatalf("Get: %v, %v; want %v", versions(batch), err, model)
				}
				model, bytes = nil, 0
			},
			"close": func(t *rapid.T) {
				if rapid.IntRange(0, 20).Draw(t, "luck") == 0 {
					q.Close()
					closed = true
				}
			},
			"": func(t *rapid.T) {
				if n, b := q.Len(); n != len(model) || b != bytes {
					t.Fatalf("Len: %d, %d; want %d, %d", n, b, len(model), bytes)
				}
			},
		})
	})
}

func TestPutWaits(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits delta.Limits
		fits   int // deltas of 10 bytes
	}{
		{"for deltas", delta.Limits{Deltas: 3}, 3},
		{"for bytes", delta.Limits{Bytes: 25}, 2},
		{"for bytes, one too large", delta.Limits{Bytes: 5}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := delta.NewQueue(c.limits)
				put := 0
				var work sync.WaitGroup
				work.Go(func() {
					for i := range 2 * c.fits {
						if err := q.Put(t.Context(), upsert(i, 10)); err != nil {
							t.Error(err)
						}
						put = i + 1
					}
				})
				synctest.Wait()
				if put != c.fits {
					t.Errorf("%d were put, want %d and then a wait", put, c.fits)
				}
				var got []int
				for len(got) < 2*c.fits {
					batch, err := q.Get(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, versions(batch)...)
				}
				work.Wait()
				if !slices.IsSorted(got) {
					t.Errorf("out of order: %v", got)
				}
			})
		})
	}
}

func TestWaitsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("enough")
		q := delta.NewQueue(delta.Limits{Deltas: 1})
		ctx, cancel := context.WithCancelCause(t.Context())
		var work sync.WaitGroup
		work.Go(func() {
			if _, err := q.Get(ctx); !errors.Is(err, cause) {
				t.Errorf("Get: %v", err)
			}
		})
		synctest.Wait()
		cancel(cause)
		work.Wait()
		if err := q.Put(ctx, upsert(0, 1)); !errors.Is(err, cause) {
			t.Errorf("Put with room, but a context that is done: %v", err)
		}

		ctx, cancel = context.WithCancelCause(t.Context())
		if err := q.Put(ctx, upsert(0, 1)); err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			if err := q.Put(ctx, upsert(1, 1)); !errors.Is(err, cause) {
				t.Errorf("Put: %v", err)
			}
		})
		synctest.Wait()
		cancel(cause)
		work.Wait()
	})
}

func TestCloseEndsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := delta.NewQueue(delta.Limits{})
		var work sync.WaitGroup
		work.Go(func() {
			if _, err := q.Get(t.Context()); !errors.Is(err, delta.ErrClosed) {
				t.Errorf("Get: %v", err)
			}
		})
		synctest.Wait()
		q.Close()
		work.Wait()
	})
}

func TestManyProducers(t *testing.T) {
	const producers, each = 8, 500
	q := delta.NewQueue(delta.Limits{Deltas: 16})
	var work sync.WaitGroup
	for p := range producers {
		work.Go(func() {
			for i := range each {
				if err := q.Put(t.Context(), upsert(p*each+i, 1)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	last := map[int]int{}
	for n := 0; n < producers*each; {
		batch, err := q.Get(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(batch) > 16 {
			t.Fatalf("%d deltas waited, more than the limit", len(batch))
		}
		for _, v := range versions(batch) {
			if p := v / each; v%each != last[p] {
				t.Fatalf("producer %d: got %d, want %d", p, v%each, last[p])
			}
			last[v/each]++
			n++
		}
	}
	work.Wait()
}

// TestQueueAllocatesNothing holds the steady state: memory is used again.
func TestQueueAllocatesNothing(t *testing.T) {
	q := delta.NewQueue(delta.Limits{})
	d := upsert(1, 100)
	allocs := testing.AllocsPerRun(1000, func() {
		for range 10 {
			if err := q.Put(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := q.Get(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 0 {
		t.Errorf("%v allocations for 10 deltas", allocs)
	}
}

func TestKindsHaveNames(t *testing.T) {
	for kind, want := range map[delta.Kind]string{
		delta.Upsert: "Upsert", delta.Delete: "Delete", delta.Bookmark: "Bookmark", delta.Begin: "Begin", delta.End: "End", 99: "Kind(99)",
	} {
		if got := kind.String(); got != want {
			t.Errorf("%d is %q, want %q", kind, got, want)
		}
	}
}
