package workqueue_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/workqueue"
)

// books are the events that an observer received, and the first wrong one.
type books struct {
	pending, handled map[string]bool
	ago, took        time.Duration // of all items together
	wrong            string
}

func (b *books) Added(item string) {
	if b.pending[item] {
		b.wrong = item + " was added twice"
	}
	b.pending[item] = true
}

func (b *books) Taken(item string, ago time.Duration) {
	b.ago += ago
	if !b.pending[item] || b.handled[item] {
		b.wrong = item + " was taken, and did not wait or was handled"
	}
	delete(b.pending, item)
	b.handled[item] = true
}

func (b *books) Done(item string, took time.Duration) {
	b.took += took
	if !b.handled[item] {
		b.wrong = item + " was done, and was not handled"
	}
	delete(b.handled, item)
}

// compare checks the books against the model.
func (b *books) compare(t *rapid.T, held []*entry) {
	pending, handled := 0, 0
	for _, e := range held {
		if e.asked == "due" {
			pending++
		}
		if e.handled {
			handled++
		}
		if b.pending[e.item] != (e.asked == "due") || b.handled[e.item] != e.handled {
			b.wrong = e.item + " is pending or handled in only one of observer and model"
		}
	}
	if b.wrong != "" || len(b.pending) != pending || len(b.handled) != handled {
		t.Fatalf("observer: got pending %v and handled %v, want %d and %d: %s", b.pending, b.handled, pending, handled, b.wrong)
	}
}

func TestTryGet(t *testing.T) {
	q := workqueue.New(workqueue.Config[string]{})
	if w, ok := q.TryGet(); ok {
		t.Fatalf("TryGet: got %v, want no item", w)
	}
	must(t, q.Add(t.Context(), "a"))
	must(t, q.Add(t.Context(), "b"))
	q.Close()
	w, ok := q.TryGet() // ready items are handed out
	equal(t, w.Item, "a")
	equal(t, ok, true)
	w, ok = q.TryGet()
	equal(t, w.Item, "b")
	equal(t, ok, true)
	_, ok = q.TryGet() // although a and b may become ready again
	equal(t, ok, false)
}
