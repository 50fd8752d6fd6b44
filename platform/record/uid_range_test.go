package record_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestDivide: a target is recorded as a whole, then in four UID ranges, in two, and as a
// whole again, while pods come and go, also between two recorders. Each change is recorded
// once, and there is no gap.
func TestDivide(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		pods := record.Target{Type: "pods"}
		var want []string
		add := func(name string) {
			w.create(pod(name))
			want = append(want, name+"  Queued")
		}
		remove := func(name string) {
			if err := w.srv.Delete(pod(name)); err != nil {
				t.Fatal(err)
			}
			want = append(want, name+" Queued Deleted")
		}
		check := func(when string) {
			t.Helper()
			sorted := slices.Sorted(slices.Values(want))
			w.untilSorted(when, sorted)
		}
		for round, n := range []int{1, 4, 2, 1} {
			for i := range 12 {
				add(fmt.Sprintf("p%d-%02d", round, i))
			}
			if round > 0 {
				for i := range 4 { // nobody records at this time
					remove(fmt.Sprintf("p%d-%02d", round-1, i))
					add(fmt.Sprintf("brief%d-%d", round, i)) // a list would not show it
					remove(fmt.Sprintf("brief%d-%d", round, i))
				}
			}
			stop := w.record("a", pods.Divide(n)...)
			check(fmt.Sprintf("%d ranges begin", n))
			if round > 0 {
				remove(fmt.Sprintf("p%d-%02d", round-1, 5))
			}
			add(fmt.Sprintf("late%d", round))
			check(fmt.Sprintf("%d ranges watch", n))
			stop()
		}
		w.until("SELECT cause FROM gaps")
	})
}

// TestDivideRelists: the server has forgotten what happened while nobody recorded. Each
// range then lists, and finds the deletions of its own objects only.
func TestDivideRelists(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		pods := record.Target{Type: "pods"}
		var want []string
		for i := range 12 {
			w.create(pod(fmt.Sprintf("p%02d", i)))
			want = append(want, fmt.Sprintf("p%02d  Queued", i))
		}
		stop := w.record("a", pods)
		w.untilSorted("the first list", want)
		stop()
		for i := range 6 {
			if err := w.srv.Delete(pod(fmt.Sprintf("p%02d", i))); err != nil {
				t.Fatal(err)
			}
			want = append(want, fmt.Sprintf("p%02d Queued Deleted", i))
		}
		w.srv.Compact() // a number of refusals would also count streaming lists
		stop = w.record("a", pods.Divide(4)...)
		defer stop()
		slices.Sort(want)
		w.untilSorted("the lists of the ranges", want)
		w.until("SELECT DISTINCT cause FROM gaps", "window")
		// The health of a range follows the commit of its batch.
		patience.Until(t, "the ranges have 6 objects together, because they do not overlap", func() string {
			objects := 0
			for _, target := range w.recorder.Health().Targets {
				objects += target.Objects
			}
			if objects != 6 {
				return fmt.Sprintf("%d objects", objects)
			}
			return ""
		})
	})
}

// untilSorted waits until the transitions of all objects are these, in any order.
func (w *world) untilSorted(when string, want []string) {
	w.t.Helper()
	patience.Until(w.t, when, func() string {
		got := w.rows("SELECT o.name, t.from_state, t.to_state FROM transitions t JOIN objects o ON o.id = t.object_id")
		if slices.Sort(got); !slices.Equal(got, want) {
			return fmt.Sprintf("got %q, want %q", got, want)
		}
		return ""
	})
}
