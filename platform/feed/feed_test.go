package feed_test

import (
	"slices"
	"testing"

	"github.com/vedette-io/vedette/platform/feed"
)

// TestRead: a reader gets each transition once, in the order of their commits.
func TestRead(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(change("a", 1), change("b", 2))
		d.write(change("a", 4))
		names, at := d.read(0)
		if want := []string{"a/1", "b/2", "a/4"}; !slices.Equal(names, want) || at != 3 {
			t.Errorf("got %q up to %d, want %q", names, at, want)
		}
		if names, at = d.read(at); names != nil || at != 3 {
			t.Errorf("got %q up to %d, want nothing up to 3", names, at)
		}
		d.write(change("b", 5))
		if names, at = d.read(at); !slices.Equal(names, []string{"b/5"}) || at != 4 {
			t.Errorf("got %q up to %d, want b/5 up to 4", names, at)
		}
		if h, err := feed.Head(t.Context(), d.DB); h != 4 || err != nil {
			t.Errorf("got head %d and error %v, want 4", h, err)
		}
	})
}
