package workqueue_test

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/workqueue"
)

var equateEmpty = cmpopts.EquateEmpty()

// drain removes the pending items. Handled items stay.
func (m *model) drain(t *rapid.T) {
	m.stats.Closed = true
	wantErr := !m.ended()
	m.closed = true
	timeOrder := func(a, b *entry) int { return cmp.Or(cmp.Compare(a.ready, b.ready), cmp.Compare(a.seq, b.seq)) }
	var again, waiting, behind, timed []*entry
	for _, e := range m.held {
		switch {
		case e.hold && e.asked != "" && (e.handled || e.asked == "delayed"):
			again = append(again, e)
		case e.waits():
			waiting = append(waiting, e)
		case e.asked == "due":
			behind = append(behind, e)
		case e.asked == "delayed":
			timed = append(timed, e)
		}
	}
	slices.SortFunc(again, timeOrder)
	slices.SortFunc(timed, timeOrder)
	slices.SortFunc(waiting, func(a, b *entry) int { return cmp.Compare(a.seq, b.seq) })
	slices.SortFunc(behind, timeOrder)
	var want []workqueue.Leftover[string]
	for _, e := range slices.Concat(again, waiting, behind, timed) {
		left := workqueue.Leftover[string]{Item: e.item, Priority: e.priority, Retries: e.retries}
		if e.asked == "delayed" {
			left.Due = m.begun.Add(e.ready)
		}
		want = append(want, left)
		e.asked, e.hold = "", false
		if !e.handled {
			m.drop(e)
		}
	}
	for name, lane := range m.lanes {
		m.lanes[name] = slices.DeleteFunc(slices.Clone(lane), func(e *entry) bool { return !e.handled })
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got, err := m.q.Drain(ctx)
	if m.told != nil {
		clear(m.told.pending) // the observer gets no event for items that Drain returns
	}
	if diff := gocmp.Diff(want, got, equateEmpty); diff != "" || (err != nil) != wantErr {
		t.Fatalf("Drain: %v, want an error: %v\n%s", err, wantErr, diff)
	}
}

func (m *model) step(t *rapid.T) {
	switch n := rapid.IntRange(0, 99).Draw(t, "step"); {
	case n < 35:
		m.add(t)
	case n < 40:
		m.addAll(t)
	case n < 50:
		m.retry(t)
	case n < 60:
		m.get(t)
	case n < 70:
		m.work(t)
	case n < 84:
		m.finish(t)
	case n < 86:
		item := drawItem(t)
		m.q.Forget(item)
		if e := m.find(item); e != nil {
			e.retries = 0
		}
	case n < 97:
		m.pass(time.Duration(rapid.IntRange(0, 15).Draw(t, "pass")) * time.Millisecond)
	case n < 98:
		m.q.Close()
		m.stats.Closed = true
	case rapid.IntRange(0, 4).Draw(t, "luck") == 0:
		m.drain(t)
	}
	m.ended()
	m.check(t)
}

// check compares the public state of the queue with the model.
func (m *model) check(t *rapid.T) {
	want := m.stats
	depth := map[int8]int{}
	for _, e := range m.held {
		if e.waits() {
			want.Waiting++
			depth[e.level]++
			want.Oldest = max(want.Oldest, m.now-e.ready)
		}
		if e.asked == "delayed" {
			want.Delayed++
		}
		if e.handled {
			want.Handled++
			want.Longest = max(want.Longest, m.now-e.start)
			want.Unfinished += m.now - e.start
		}
		if got := m.q.Retries(e.item); got != e.retries {
			t.Fatalf("Retries %s: %d, want %d", e.item, got, e.retries)
		}
	}
	for level := range m.lines {
		want.Depths = append(want.Depths, workqueue.Depth{Priority: level, Waiting: depth[level]})
	}
	slices.SortFunc(want.Depths, func(a, b workqueue.Depth) int { return cmp.Compare(b.Priority, a.Priority) })
	got := m.q.Stats()
	got.Latency, got.Work = workqueue.Times{}, workqueue.Times{}
	if diff := gocmp.Diff(want, got, equateEmpty); diff != "" {
		t.Fatalf("Stats (-want +got):\n%s", diff)
	}
	if m.told != nil {
		m.told.compare(t, m.held)
		if m.told.ago != m.ago || m.told.took != m.took {
			t.Fatalf("observer: got waits of %v and work of %v, want %v and %v", m.told.ago, m.told.took, m.ago, m.took)
		}
	}
	if n := m.q.Len(); n != want.Waiting {
		t.Fatalf("Len: %d, want %d", n, want.Waiting)
	}
}

// TestAgainstModel compares random calls in fake time with a model that searches a slice.
func TestAgainstModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		testinput.Check(struct{ testing.TB }{t}, func(t *rapid.T) { // without Deadline, which is forbidden in fake time
			m := newModel(t)
			for range rapid.IntRange(1, 80).Draw(t, "steps") {
				m.step(t)
			}
			m.drain(t)
		})
	})
}
