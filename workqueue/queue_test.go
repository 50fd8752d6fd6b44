package workqueue_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/workqueue"
)

func TestMain(m *testing.M) {
	// TestAgainstModel fails in fake time, which passes slowly: the default of 30 seconds
	// for a smaller example would be half an hour.
	if err := flag.Set("rapid.shrinktime", "2s"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	goleak.VerifyTestMain(m)
}

// impatient is a context that is done as soon as a call waits for it. A test can thus
// distinguish a call that waits from one that does not, and never hangs.
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func add[T comparable](t *testing.T, q *workqueue.Queue[T], items ...T) {
	t.Helper()
	for _, item := range items {
		must(t, q.Add(noWait(), item))
	}
}

func addWith[T comparable](t *testing.T, q *workqueue.Queue[T], o workqueue.Options, items ...T) {
	t.Helper()
	_, err := q.AddAll(noWait(), items, o)
	must(t, err)
}

// take takes up to n items without waiting.
func take[T comparable](t *testing.T, q *workqueue.Queue[T], n int) (items []T) {
	t.Helper()
	for range n {
		w, err := q.Get(noWait())
		if errors.Is(err, context.Canceled) || errors.Is(err, workqueue.ErrClosed) {
			break
		}
		must(t, err)
		items = append(items, w.Item)
	}
	return items
}

// deal takes and ends all ready items, one after the other.
func deal[T comparable](t *testing.T, q *workqueue.Queue[T]) (items []T) {
	t.Helper()
	for {
		l := take(t, q, 1)
		if len(l) == 0 {
			return items
		}
		items = append(items, l...)
		must(t, q.Done(l...))
	}
}

func equal[T any](t *testing.T, got, want T) {
	t.Helper()
	if diff := gocmp.Diff(want, got, equateEmpty); diff != "" {
		t.Fatalf("got another value (-want +got):\n%s", diff)
	}
}

func TestFirstComeFirstServed(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{})
	add(t, q, "c", "a", "b")
	equal(t, deal(t, q), []string{"c", "a", "b"})
}

func TestWaitsOnce(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{})
	add(t, q, "a", "b", "a", "a")
	equal(t, q.Len(), 2)
	equal(t, deal(t, q), []string{"a", "b"})
}

func TestAddedWhileHandled(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{})
	add(t, q, "a")
	equal(t, take(t, q, 1), []string{"a"})
	add(t, q, "a", "b", "a")
	equal(t, take(t, q, 2), []string{"b"})
	must(t, q.Done("a"))
	equal(t, deal(t, q), []string{"a"})
}

func TestDoneOfWhatIsNotHandled(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{})
	add(t, q, "a", "b")
	for _, item := range []string{"a", "none"} {
		if err := q.Done(item); !errors.Is(err, workqueue.ErrNotHandled) {
			t.Fatalf("Done: got error %v, want %v", err, workqueue.ErrNotHandled)
		}
	}
	equal(t, take(t, q, 2), []string{"a", "b"})
	if err := q.Done("none", "a", "none", "b"); !errors.Is(err, workqueue.ErrNotHandled) {
		t.Fatalf("Done: got error %v, want %v", err, workqueue.ErrNotHandled)
	}
	equal(t, q.Stats().Handled, 0)
	if err := q.Done("a"); !errors.Is(err, workqueue.ErrNotHandled) {
		t.Fatalf("Done: got error %v, want %v", err, workqueue.ErrNotHandled)
	}
}

func TestGetSome(t *testing.T) {
	q := workqueue.New(workqueue.Config[int]{Serial: func(i int) string { return strconv.Itoa(i % 10) }})
	add(t, q, 1, 2, 11, 3, 4)
	works := make([]workqueue.Work[int], 3)
	n, err := q.GetBatch(noWait(), works)
	must(t, err)
	equal(t, []int{n, works[0].Item, works[1].Item, works[2].Item}, []int{3, 1, 2, 3})
	if n, err = q.GetBatch(noWait(), nil); n != 0 || err != nil {
		t.Fatalf("batch of nothing: got %d and error %v, want 0", n, err)
	}
	must(t, q.Done(1, 2, 3))
	equal(t, deal(t, q), []int{11, 4})
}

func TestGroups(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{Group: first})
	add(t, q, "a1", "a2", "a3", "a4", "b1", "b2", "c1")
	addWith(t, q, workqueue.Options{Priority: 1}, "a5", "a6", "c2")
	equal(t, deal(t, q), []string{"a5", "c2", "a6", "a1", "b1", "c1", "a2", "b2", "a3", "a4"})
}

// TestGroupThatFloods: an item of a group with one item waits for at most one item of
// another group, however many that group has added.
func TestGroupThatFloods(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{Group: first})
	for i := range 1000 {
		add(t, q, "a"+strconv.Itoa(i))
	}
	equal(t, take(t, q, 3), []string{"a0", "a1", "a2"})
	add(t, q, "b0")
	if got := take(t, q, 2); !slices.Contains(got, "b0") {
		t.Fatalf("got the items %v, want b0 among them", got)
	}
}

func TestSerial(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{Serial: first, Limiter: linear{}})
	add(t, q, "a1", "a2", "b1", "a3")
	addWith(t, q, workqueue.Options{Priority: 9}, "a4")
	equal(t, take(t, q, 5), []string{"a1", "b1"}) // one of each object
	add(t, q, "c1")
	must(t, q.Done("a1"))
	equal(t, take(t, q, 5), []string{"a2", "c1"}) // a2 was added before c1 and gets its position back
	add(t, q, "a2")                               // added again: behind the others
	_, err := q.Retry(noWait(), "b1")             // retried: before them
	must(t, err)
	add(t, q, "b2")
	must(t, q.Done("a2", "b1", "c1"))
	equal(t, take(t, q, 5), []string{"a3", "b1"})
	must(t, q.Done("a3", "b1"))
	equal(t, deal(t, q), []string{"a4", "b2", "a2"})
}

func TestSerialWaitsForARetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{Serial: first, Limiter: workqueue.Exponential{Base: time.Second, Jitter: -1}})
		add(t, q, "a1", "a2", "b1")
		equal(t, take(t, q, 1), []string{"a1"})
		_, err := q.Retry(noWait(), "a1")
		must(t, err)
		must(t, q.Done("a1"))
		equal(t, deal(t, q), []string{"b1"})
		pass(time.Second)
		equal(t, deal(t, q), []string{"a1", "a2"})
	})
}

func TestLimit(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{Limit: 2, Full: workqueue.Refuse})
	add(t, q, "a")
	must(t, q.AddAfter(noWait(), "b", time.Hour))
	if err := q.Add(noWait(), "c"); !errors.Is(err, workqueue.ErrFull) {
		t.Fatalf("Add: got error %v, want %v", err, workqueue.ErrFull)
	}
	add(t, q, "a", "b") // an item that the queue holds needs no room
	equal(t, take(t, q, 1), []string{"a"})
	add(t, q, "a") // nor does a handled item
	n, err := q.AddAll(noWait(), []string{"b", "a", "c", "d"}, workqueue.Options{})
	if n != 2 || !errors.Is(err, workqueue.ErrFull) {
		t.Fatalf("add to a full queue: got %d and error %v, want 2 and ErrFull", n, err)
	}
	must(t, q.Done("a"))
	equal(t, deal(t, q), []string{"b", "a"})
	add(t, q, "c")
}

// TestLimitWaits: producers that wait for room get it in their order.
func TestLimitWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{Limit: 1})
		add(t, q, "a")
		ctx, cancel := context.WithCancel(t.Context())
		errs := map[string]error{}
		var all sync.WaitGroup
		for _, item := range []string{"b", "c", "d"} {
			all.Go(func() {
				c := t.Context()
				if item == "b" {
					c = ctx
				}
				errs[item] = q.Add(c, item)
			})
			synctest.Wait()
		}
		cancel()
		synctest.Wait()
		equal(t, take(t, q, 1), []string{"a"})
		must(t, q.Done("a"))
		if err := q.Add(noWait(), "e"); !errors.Is(err, context.Canceled) { // behind c and d
			t.Fatalf("Add: got error %v, want %v", err, context.Canceled)
		}
		synctest.Wait()
		equal(t, take(t, q, 1), []string{"c"})
		must(t, q.Done("c"))
		synctest.Wait()
		equal(t, take(t, q, 1), []string{"d"})
		all.Go(func() { errs["f"] = q.Add(t.Context(), "f") })
		synctest.Wait()
		q.Close()
		all.Wait()
		if !errors.Is(errs["b"], context.Canceled) || errs["c"] != nil || errs["d"] != nil || !errors.Is(errs["f"], workqueue.ErrClosed) {
			t.Fatalf("got errors %v, want b canceled, c and d nil, f closed", errs)
		}
	})
}

// TestContextThatIsDone: no call has an effect if its context is done, even if it would not
// wait.
func TestContextThatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	q := workqueue.New(workqueue.Config[string]{})
	add(t, q, "a")
	_, all := q.AddAll(ctx, []string{"b"}, workqueue.Options{})
	_, retry := q.Retry(ctx, "b")
	_, get := q.Get(ctx)
	for _, err := range []error{q.Add(ctx, "b"), all, retry, get} {
		if !errors.Is(err, cause) {
			t.Fatalf("got error %v, want %v", err, cause)
		}
	}
	equal(t, deal(t, q), []string{"a"})
}
