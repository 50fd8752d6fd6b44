package feed_test

import (
	"errors"
	"testing"

	"github.com/vedette-io/vedette/platform/feed"
)

// TestTail: a tail leaves transitions to the recorder that committed them, and numbers those that
// nobody has numbered for long.
func TestTail(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		tail := feed.NewTail(d.DB)
		wants := func(what string, want feed.Position) {
			t.Helper()
			if got, err := tail.Head(t.Context(), 0); got != want || err != nil {
				t.Errorf("%s: got head %d, %v; want %d", what, got, err, want)
			}
		}
		sequence := func() {
			t.Helper()
			if _, err := feed.Sequence(t.Context(), d.DB); err != nil {
				t.Fatal(err)
			}
		}
		wants("empty", 0)
		d.write(change("a", 1))
		wants("just committed", 0)
		sequence()
		wants("numbered by its recorder", 1)
		d.write(change("a", 2))
		wants("just committed", 1)
		sequence()
		d.write(change("a", 3))
		tail.Age()
		wants("another one waits", 2)
		tail.Age()
		wants("the same one is overdue", 3)
		d.write(change("b", 1), change("b", 2))
		wants("two wait", 3)
		tail.Age()
		wants("two are overdue", 5)
		if _, err := tail.Head(t.Context(), 6); !errors.Is(err, feed.ErrAhead) {
			t.Errorf("got %v beyond the end", err)
		}
		d.Exec("DELETE FROM feed WHERE position <= 3")
		d.Exec("UPDATE feed_head SET oldest = 3")
		if _, err := tail.Head(t.Context(), 2); !errors.Is(err, feed.ErrExpired) {
			t.Errorf("got %v before the beginning", err)
		}
	})
}
