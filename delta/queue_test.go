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

// queueModel is a Queue and the slice that it should be.
type queueModel struct {
	q       *delta.Queue
	limits  delta.Limits
	waiting delta.Batch
	next    int
	closed  bool
	ended   bool // the first End has left
}

func (m *queueModel) bytes() int {
	n := 0
	for _, d := range m.waiting {
		n += len(d.Record.Body)
	}
	return n
}

// impatient is a context that is done as soon as a call waits with it. So a
// model can tell a call that waits from one that does not, and never hangs.
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

// ended looks whether a call ended as it must.
func ended(t *rapid.T, name string, err error, closed, room bool) {
	t.Helper()
	var want error
	switch {
	case closed:
		want = delta.ErrClosed
	case !room:
		want = context.Canceled
	}
	if !errors.Is(err, want) {
		t.Fatalf("%s: %v, want %v", name, err, want)
	}
}

func (m *queueModel) put(t *rapid.T) {
	d := upsert(m.next, rapid.IntRange(0, 120).Draw(t, "size"))
	if rapid.IntRange(0, 9).Draw(t, "end") == 0 {
		d.Kind = delta.End
	}
	room := len(m.waiting) == 0 || len(m.waiting) < m.limits.Deltas && m.bytes()+len(d.Record.Body) <= m.limits.Bytes
	ended(t, "Put", m.q.Put(noWait(), d), m.closed, room)
	if room && !m.closed {
		m.waiting, m.next = append(m.waiting, d), m.next+1
	}
}

func (m *queueModel) get(t *rapid.T) {
	batch, err := m.q.Get(noWait())
	if len(m.waiting) == 0 {
		ended(t, "Get", err, m.closed, false)
		return
	}
	if err != nil || !slices.Equal(versions(batch), versions(m.waiting)) {
		t.Fatalf("Get: %v, %v; want %v", versions(batch), err, versions(m.waiting))
	}
	m.took(len(batch))
}

// pop processes one delta, or fails to. While it does, others may put.
func (m *queueModel) pop(t *rapid.T) {
	outcome := rapid.SampledFrom([]string{"nil", "error", "panic"}).Draw(t, "outcome")
	failed, calls := errors.New("failed"), 0
	err := recovered(func() error {
		return m.q.Pop(noWait(), func(d delta.Delta) error {
			calls++
			if d.Version != m.waiting[0].Version {
				t.Fatalf("Pop: %d, want %d", d.Version, m.waiting[0].Version)
			}
			m.put(t)
			m.check(t)
			switch outcome {
			case "error":
				return failed
			case "panic":
				panic(failed)
			}
			return nil
		})
	})
	switch {
	case len(m.waiting) == 0:
		if ended(t, "Pop", err, m.closed, false); calls > 0 {
			t.Fatal("Pop processed nothing")
		}
	case calls != 1 || errors.Is(err, failed) != (outcome != "nil"):
		t.Fatalf("Pop: %d calls, %v after %s", calls, err, outcome)
	case err == nil:
		m.took(1)
	}
}

func (m *queueModel) took(n int) {
	m.ended = m.ended || slices.ContainsFunc(m.waiting[:n], func(d delta.Delta) bool { return d.Kind == delta.End })
	m.waiting = slices.Clone(m.waiting[n:])
}

func (m *queueModel) cancelled(t *rapid.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, got := m.q.Get(ctx)
	popped := m.q.Pop(ctx, func(delta.Delta) error { t.Fatal("processed"); return nil })
	for _, err := range []error{m.q.Put(ctx, upsert(0, 0)), got, popped} {
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("with a context that is done: %v", err)
		}
	}
}

func (m *queueModel) check(t *rapid.T) {
	if n, b := m.q.Len(); n != len(m.waiting) || b != m.bytes() {
		t.Fatalf("Len: %d, %d; want %d, %d", n, b, len(m.waiting), m.bytes())
	}
	if got := m.q.HasSynced(); got != m.ended {
		t.Fatalf("HasSynced: %v, want %v", got, m.ended)
	}
}

// recovered makes an error of a panic with one.
func recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = p.(error)
		}
	}()
	return f()
}

// TestQueueAgainstModel plays random calls against a slice.
func TestQueueAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &queueModel{limits: delta.Limits{Deltas: rapid.IntRange(1, 5).Draw(t, "deltas"), Bytes: rapid.IntRange(1, 100).Draw(t, "bytes")}}
		m.q = delta.NewQueue(m.limits)
		t.Repeat(map[string]func(*rapid.T){
			"put": m.put, "put again": m.put, "get": m.get, "pop": m.pop, "cancelled": m.cancelled, "": m.check,
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
