package controllerruntime_test

import (
	"cmp"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// entry is the model's state of a request.
type entry struct {
	item     string
	priority int
	seq      int           // its place among those of its priority
	due      time.Duration // when its delay ends
	asked    string        // "", "delayed" or "waits"
	handled  bool
}

// model is a priority queue that is searched. It is over before anything has waited
// long enough to overtake a higher priority.
type model struct {
	q       line
	now     time.Duration
	tick    time.Duration // makes the end of each delay a time of its own
	seq     int
	entries map[string]*entry
}

func (m *model) next() int {
	m.seq++
	return m.seq
}

// list returns entries, sorted by a function.
func (m *model) list(which func(*entry) bool, order func(a, b *entry) int) (l []*entry) {
	for _, e := range m.entries {
		if which(e) {
			l = append(l, e)
		}
	}
	slices.SortFunc(l, order)
	return l
}

func (m *model) ready() []*entry {
	return m.list(func(e *entry) bool { return e.asked == "waits" && !e.handled },
		func(a, b *entry) int { return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.seq, b.seq)) })
}

func (m *model) add(t *rapid.T) {
	m.tick += time.Microsecond
	item := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "item")
	priority := rapid.IntRange(-2, 2).Draw(t, "priority")
	after := time.Duration(rapid.IntRange(0, 3).Draw(t, "after")) * (5*time.Millisecond + m.tick)
	add(m.q, priority, after, item)
	e := m.entries[item]
	if e == nil {
		e = &entry{item: item}
		m.entries[item] = e
	}
	raised := e.asked == "" || priority > e.priority
	if raised {
		e.priority = priority
	}
	switch {
	case e.asked == "waits":
		if raised {
			e.seq = m.next()
		}
	case after == 0:
		e.asked, e.seq = "waits", m.next()
	case e.asked == "" || m.now+after < e.due:
		e.asked, e.due = "delayed", m.now+after
	}
}

func (m *model) pass(d time.Duration) {
	pass(d)
	m.now += d
	over := m.list(func(e *entry) bool { return e.asked == "delayed" && e.due <= m.now },
		func(a, b *entry) int { return cmp.Compare(a.due, b.due) })
	for _, e := range over {
		e.asked, e.seq = "waits", m.next()
	}
}

func (m *model) get(t *rapid.T) {
	ready := m.ready()
	if len(ready) == 0 {
		return // it would wait
	}
	e := ready[0]
	if item, priority, shutdown := m.q.GetWithPriority(); item != e.item || priority != e.priority || shutdown {
		t.Fatalf("%s with %d, want %s with %d", item, priority, e.item, e.priority)
	}
	e.asked, e.handled = "", true
}

func (m *model) done(t *rapid.T) {
	handled := m.list(func(e *entry) bool { return e.handled }, func(a, b *entry) int { return cmp.Compare(a.item, b.item) })
	if len(handled) == 0 {
		return
	}
	e := rapid.SampledFrom(handled).Draw(t, "handled")
	m.q.Done(e.item)
	e.handled, e.seq = false, m.next()
}

// TestAgainstModel plays random calls against the model.
func TestAgainstModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		testinput.Check(struct{ testing.TB }{t}, func(t *rapid.T) { // without Deadline, which is forbidden in fake time
			m := &model{q: newLine(t), entries: map[string]*entry{}}
			defer m.q.ShutDown()
			for range rapid.IntRange(1, 60).Draw(t, "steps") {
				switch n := rapid.IntRange(0, 9).Draw(t, "step"); {
				case n < 5:
					m.add(t)
				case n < 7:
					m.get(t)
				case n < 8:
					m.done(t)
				default:
					m.pass(time.Duration(rapid.IntRange(0, 9).Draw(t, "pass")) * time.Millisecond)
				}
				if n, want := m.q.Len(), len(m.ready()); n != want {
					t.Fatalf("Len: %d, want %d", n, want)
				}
			}
		})
	})
}
