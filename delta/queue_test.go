package delta_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// upsert returns a delta with the version v, by which a test recognizes it.
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

// queueModel compares a Queue with a slice.
type queueModel struct {
	q       *delta.Queue
	limits  delta.Limits
	waiting delta.Batch
	next    int
	closed  bool
}

func (m *queueModel) bytes() int {
	n := 0
	for _, d := range m.waiting {
		n += len(d.Record.Body)
	}
	return n
}

// impatient is a context that is done as soon as a call waits with it. It shows a model
// whether a call waits, and keeps the model from hanging.
type impatient struct {
	context.Context
	waited atomic.Bool
}

func noWait() *impatient { return &impatient{Context: context.Background()} }

func (c *impatient) Done() <-chan struct{} {
	c.waited.Store(true)
	done := make(chan struct{})
	close(done)
	return done
}

func (c *impatient) Err() error {
	if c.waited.Load() {
		return context.Canceled
	}
	return nil
}

// checkError checks the error of a call on a queue that is closed, is full, or has room.
func checkError(t *rapid.T, name string, err error, closed, room bool) {
	t.Helper()
	var want error
	switch {
	case closed:
		want = delta.ErrClosed
	case !room:
		want = context.Canceled
	}
	if !errors.Is(err, want) {
		t.Fatalf("%s: got %v, want %v", name, err, want)
	}
}

func (m *queueModel) put(t *rapid.T) {
	d := upsert(m.next, rapid.IntRange(0, 120).Draw(t, "size"))
	room := len(m.waiting) == 0 || len(m.waiting) < m.limits.Deltas && m.bytes()+len(d.Record.Body) <= m.limits.Bytes
	checkError(t, "Put", m.q.Put(noWait(), d), m.closed, room)
	if room && !m.closed {
		m.waiting, m.next = append(m.waiting, d), m.next+1
	}
}

func (m *queueModel) get(t *rapid.T) {
	batch, err := m.q.Get(noWait())
	if len(m.waiting) == 0 {
		checkError(t, "Get", err, m.closed, false)
		return
	}
	if err != nil || !slices.Equal(versions(batch), versions(m.waiting)) {
		t.Fatalf("Get: got %v, %v; want %v", versions(batch), err, versions(m.waiting))
	}
	m.waiting = nil
}

func (m *queueModel) canceled(t *rapid.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, got := m.q.Get(ctx)
	for _, err := range []error{m.q.Put(ctx, upsert(0, 0)), got} {
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("with a canceled context: got %v, want context.Canceled", err)
		}
	}
}

func (m *queueModel) check(t *rapid.T) {
	if n, b := m.q.Len(); n != len(m.waiting) || b != m.bytes() {
		t.Fatalf("Len: got %d, %d; want %d, %d", n, b, len(m.waiting), m.bytes())
	}
}

// TestQueueAgainstModel compares random calls of a queue with a slice.
func TestQueueAgainstModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		m := &queueModel{limits: delta.Limits{Deltas: rapid.IntRange(1, 5).Draw(t, "deltas"), Bytes: rapid.IntRange(1, 100).Draw(t, "bytes")}}
		m.q = delta.NewQueue(m.limits)
		t.Repeat(map[string]func(*rapid.T){
			"put": m.put, "put again": m.put, "get": m.get, "canceled": m.canceled, "": m.check,
			"close": func(t *rapid.T) {
				if rapid.IntRange(0, 20).Draw(t, "luck") == 0 {
					m.q.Close()
					m.closed = true
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
					t.Errorf("got %d deltas accepted by Put before it waited, want %d", put, c.fits)
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
					t.Errorf("got %v, want ascending versions", got)
				}
			})
		})
	}
}

func TestWaitsEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("stopped by the test")
		q := delta.NewQueue(delta.Limits{Deltas: 1})
		ctx, cancel := context.WithCancelCause(t.Context())
		var work sync.WaitGroup
		work.Go(func() {
			if _, err := q.Get(ctx); !errors.Is(err, cause) {
				t.Errorf("Get: got %v, want %v", err, cause)
			}
		})
		synctest.Wait()
		cancel(cause)
		work.Wait()
		if err := q.Put(ctx, upsert(0, 1)); !errors.Is(err, cause) {
			t.Errorf("Put with room and a canceled context: got %v, want %v", err, cause)
		}

		ctx, cancel = context.WithCancelCause(t.Context())
		if err := q.Put(ctx, upsert(0, 1)); err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			if err := q.Put(ctx, upsert(1, 1)); !errors.Is(err, cause) {
				t.Errorf("Put: got %v, want %v", err, cause)
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
				t.Errorf("Get: got %v, want %v", err, delta.ErrClosed)
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
			t.Fatalf("got a batch of %d deltas, want at most 16", len(batch))
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

// TestQueueAllocatesNothing checks that a queue reuses its memory.
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
		t.Errorf("got %v allocations for 10 deltas, want 0", allocs)
	}
}

func TestKindsHaveNames(t *testing.T) {
	for kind, want := range map[delta.Kind]string{
		delta.Upsert: "Upsert", delta.Delete: "Delete", delta.Bookmark: "Bookmark", delta.Begin: "Begin", delta.End: "End", delta.Leave: "Leave", delta.Keep: "Keep", 99: "Kind(99)",
	} {
		if got := kind.String(); got != want {
			t.Errorf("kind %d: got %q, want %q", kind, got, want)
		}
	}
}

// TestQueueAfterBurst: a queue gives up the memory of a burst once batches are small again.
func TestQueueAfterBurst(t *testing.T) {
	q := delta.NewQueueOf(delta.Limits{}, func(int) int { return 1 })
	room := 0 // of the last batch
	batches := append([]int{1000}, slices.Repeat([]int{1}, 1500)...)
	for _, n := range batches {
		for i := range n {
			if err := q.Put(t.Context(), i); err != nil {
				t.Fatal(err)
			}
		}
		got, err := q.Get(t.Context())
		if err != nil || len(got) != n {
			t.Fatalf("got %d items, %v, want %d", len(got), err, n)
		}
		room = cap(got)
	}
	if room > 10 {
		t.Errorf("the queue keeps room for %d items", room)
	}
}
