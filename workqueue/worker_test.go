package workqueue_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/vedette-io/vedette/workqueue"
)

// TestWorker: a worker has one item at a time, and none after an error.
func TestWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := workqueue.New(workqueue.Config[string]{})
		w := q.Worker()
		w.Done() // it has none
		add(t, q, "a", "b")
		next := func(want string) {
			t.Helper()
			got, err := w.Next(t.Context())
			if err != nil || got.Item != want {
				t.Fatalf("Next: got %v and error %v, want %s", got, err, want)
			}
			if s := q.Stats(); s.Handled != 1 {
				t.Fatalf("after Next of %s: got %+v, want 1 handled item", want, s)
			}
		}
		next("a")
		add(t, q, "a") // while it is handled: again after b
		next("b")
		next("a")
		if _, err := w.Next(noWait()); !errors.Is(err, context.Canceled) {
			t.Fatalf("Next without items: got error %v", err)
		}
		if s := q.Stats(); s.Handled != 0 {
			t.Fatalf("after a failed Next: got %+v, want no handled item", s)
		}
		waits := make(chan error)
		go func() {
			_, err := w.Next(t.Context())
			waits <- err
		}()
		synctest.Wait()
		add(t, q, "c")
		if err := <-waits; err != nil {
			t.Fatal(err)
		}
		q.Close()
		if _, err := w.Next(noWait()); !errors.Is(err, workqueue.ErrClosed) { // it had the last item
			t.Fatalf("Next of a closed queue: got error %v", err)
		}
	})
}

// TestWorkerAndDone: the item of a worker was ended with Queue.Done, and its memory has
// another item.
func TestWorkerAndDone(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{})
	w := q.Worker()
	add(t, q, "a")
	if _, err := w.Next(noWait()); err != nil {
		t.Fatal(err)
	}
	must(t, q.Done("a"))
	add(t, q, "b")
	equal(t, take(t, q, 1), []string{"b"})
	w.Done()
	must(t, q.Done("b")) // still handled
}
