package workqueue_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// model is a queue as client-go documents it, in slices that are searched.
type model struct {
	q       clientgo.TypedRateLimitingInterface[string]
	now     time.Duration
	tick    time.Duration // makes the end of each delay a time of its own
	waits   []string
	dirty   []string // handled, and to wait again
	handled []string
	delays  []modelDelay
	retries map[string]int
	shut    bool
}

type modelDelay struct {
	item string
	due  time.Duration
}

var modelItems = rapid.SampledFrom([]string{"a", "b", "c", "d"})

func (m *model) add(item string) {
	switch {
	case m.shut || slices.Contains(m.waits, item) || slices.Contains(m.dirty, item):
	case slices.Contains(m.handled, item):
		m.dirty = append(m.dirty, item)
	default:
		m.waits = append(m.waits, item)
	}
}

func (m *model) addAfter(item string, d time.Duration) {
	switch i := slices.IndexFunc(m.delays, func(d modelDelay) bool { return d.item == item }); {
	case m.shut:
	case d <= 0:
		m.add(item)
	case i < 0:
		m.delays = append(m.delays, modelDelay{item, m.now + d})
	default:
		m.delays[i].due = min(m.delays[i].due, m.now+d)
	}
}

func (m *model) pass(d time.Duration) {
	pass(d)
	m.now += d
	slices.SortFunc(m.delays, func(a, b modelDelay) int { return int(a.due - b.due) })
	for len(m.delays) > 0 && m.delays[0].due <= m.now {
		m.add(m.delays[0].item)
		m.delays = m.delays[1:]
	}
}

func (m *model) get(t *rapid.T) {
	if len(m.waits) == 0 && !m.shut {
		return // it would wait
	}
	want := ""
	if len(m.waits) > 0 {
		want = m.waits[0]
	}
	if item, shutdown := m.q.Get(); item != want || shutdown != (want == "") {
		t.Fatalf("Get: %q, %v; want %q", item, shutdown, want)
	}
	if want != "" {
		m.waits = m.waits[1:]
		m.handled = append(m.handled, want)
	}
}

func (m *model) done(t *rapid.T) {
	if len(m.handled) == 0 {
		return
	}
	item := rapid.SampledFrom(m.handled).Draw(t, "handled")
	m.q.Done(item)
	m.handled = slices.DeleteFunc(m.handled, func(h string) bool { return h == item })
	if i := slices.Index(m.dirty, item); i >= 0 {
		m.dirty = slices.Delete(m.dirty, i, i+1)
		m.waits = append(m.waits, item)
	}
}

// delay draws one that ends when no other does.
func (m *model) delay(t *rapid.T) time.Duration {
	m.tick += time.Microsecond
	if rapid.IntRange(0, 3).Draw(t, "at once") == 0 {
		return 0
	}
	return time.Duration(rapid.IntRange(1, 9).Draw(t, "delay"))*time.Millisecond + m.tick
}

func (m *model) step(t *rapid.T) {
	switch n := rapid.IntRange(0, 99).Draw(t, "step"); {
	case n < 25:
		item := modelItems.Draw(t, "item")
		m.q.Add(item)
		m.add(item)
	case n < 40:
		item, d := modelItems.Draw(t, "item"), m.delay(t)
		m.q.AddAfter(item, d)
		m.addAfter(item, d)
	case n < 45:
		item := modelItems.Draw(t, "item")
		m.retries[item]++
		m.tick += time.Microsecond
		m.q.AddRateLimited(item)
		m.addAfter(item, m.tick+time.Millisecond)
	case n < 48:
		item := modelItems.Draw(t, "item")
		m.q.Forget(item)
		delete(m.retries, item)
	case n < 65:
		m.get(t)
	case n < 80:
		m.done(t)
	case n < 98:
		m.pass(time.Duration(rapid.IntRange(0, 12).Draw(t, "pass")) * time.Millisecond)
	case n < 99:
		m.q.ShutDown()
		m.shut, m.delays = true, nil
	}
	synctest.Wait()
	if n := m.q.Len(); n != len(m.waits) || m.q.ShuttingDown() != m.shut {
		t.Fatalf("Len: %d, want %d; ShuttingDown %v", n, len(m.waits), m.q.ShuttingDown())
	}
	for _, item := range []string{"a", "b", "c", "d"} {
		if n := m.q.NumRequeues(item); n != m.retries[item] {
			t.Fatalf("NumRequeues %s: %d, want %d", item, n, m.retries[item])
		}
	}
}

// limiter returns the delays of the model.
type limiter struct{ m *model }

func (l limiter) When(string) time.Duration   { return l.m.tick + time.Millisecond }
func (l limiter) NumRequeues(item string) int { return l.m.retries[item] }
func (l limiter) Forget(string)               {}

// TestAgainstModel plays random calls against the model: client-go's queue, for the
// model, and ours.
func TestAgainstModel(t *testing.T) {
	both(t, func(t *testing.T, maker maker) {
		testinput.Check(struct{ testing.TB }{t}, func(t *rapid.T) { // without Deadline, which is forbidden in fake time
			m := &model{retries: map[string]int{}}
			m.q = maker.limited(limiter{m}, clientgo.TypedRateLimitingQueueConfig[string]{})
			defer m.q.ShutDown()
			for range rapid.IntRange(1, 60).Draw(t, "steps") {
				m.step(t)
			}
		})
	})
}
