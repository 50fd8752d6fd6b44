package workqueue_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/workqueue"
)

// entry is the model's state of an item.
type entry struct {
	item    string
	asked   string // "", "delayed" or "due"
	handled bool
	hold    bool
	inCell  bool

	priority, taken, level int8
	retries, seq           int
	rank, ready, start     time.Duration
	added                  time.Duration // when it became due
}

func (e *entry) waits() bool { return e.asked == "due" && !e.handled }

// model is a queue that searches all its entries at each call.
type model struct {
	q      *workqueue.Queue[string]
	cfg    workqueue.Config[string]
	begun  time.Time
	now    time.Duration
	held   []*entry
	lines  map[int8]bool
	lanes  map[string][]*entry
	rings  map[int8][]string
	seq    int
	stats  workqueue.Stats
	closed bool
	told   *books
	crew   [2]struct {
		*workqueue.Worker[string]
		held *entry
	}

	ago, took time.Duration // sums that the observer must receive
}

type linear struct{}

func (linear) Delay(retries int) time.Duration { return time.Duration(retries) * 3 * time.Millisecond }

func first(item string) string { return item[:1] }
func last(item string) string  { return item[1:] }

func newModel(t *rapid.T) *model {
	m := &model{begun: time.Now(), lines: map[int8]bool{}, lanes: map[string][]*entry{}, rings: map[int8][]string{}}
	if rapid.Bool().Draw(t, "observed") {
		m.told = &books{pending: map[string]bool{}, handled: map[string]bool{}}
		m.cfg.Observer = m.told
	}
	if rapid.Bool().Draw(t, "clock") {
		m.cfg.Clock = func() time.Duration { return time.Since(m.begun) + time.Hour }
	}
	m.cfg.Limiter = linear{}
	m.cfg.Age = 10 * time.Millisecond
	if rapid.Bool().Draw(t, "limited") {
		m.cfg.Limit = rapid.IntRange(1, 8).Draw(t, "limit")
		m.cfg.Full = rapid.SampledFrom([]workqueue.Full{workqueue.Wait, workqueue.Refuse}).Draw(t, "full")
	}
	if rapid.Bool().Draw(t, "grouped") {
		m.cfg.Group = first
	}
	if rapid.Bool().Draw(t, "serial") {
		m.cfg.Serial = last
	}
	m.q = workqueue.New(m.cfg)
	for i := range m.crew {
		m.crew[i].Worker = m.q.Worker()
	}
	return m
}

func (m *model) find(item string) *entry {
	if i := slices.IndexFunc(m.held, func(e *entry) bool { return e.item == item }); i >= 0 {
		return m.held[i]
	}
	return nil
}

func (m *model) drop(e *entry) {
	m.held = slices.DeleteFunc(m.held, func(f *entry) bool { return f == e })
}

func (m *model) mayGo(e *entry) bool {
	return m.cfg.Serial == nil || m.lanes[last(e.item)][0] == e
}

// cell returns the entries in the line of a group, in order.
func (m *model) cell(level int8, group string) []*entry {
	return m.sorted(func(e *entry) bool { return e.waits() && e.inCell && e.level == level && first(e.item) == group })
}

func (m *model) sorted(which func(*entry) bool) (l []*entry) {
	for _, e := range m.held {
		if which(e) {
			l = append(l, e)
		}
	}
	slices.SortFunc(l, func(a, b *entry) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.seq, b.seq)) })
	return l
}

func (m *model) enter(e *entry) {
	if m.cfg.Group == nil || e.inCell {
		return
	}
	if group := first(e.item); len(m.cell(e.level, group)) == 0 {
		m.rings[e.level] = append(m.rings[e.level], group)
	}
	e.inCell = true
}

func (m *model) exit(e *entry) {
	if !e.inCell {
		return
	}
	e.inCell = false
	if group := first(e.item); len(m.cell(e.level, group)) == 0 {
		m.rings[e.level] = slices.DeleteFunc(slices.Clone(m.rings[e.level]), func(g string) bool { return g == group })
	}
}

// place puts an entry at the end of the line of its priority.
func (m *model) place(e *entry, now time.Duration) {
	m.seq++
	e.seq, e.level, e.rank = m.seq, e.priority, now-time.Duration(e.priority)*m.cfg.Age
	m.lines[e.level] = true
	m.enter(e)
}

func (m *model) line(e *entry, now time.Duration) {
	m.place(e, now)
	if lane := last(e.item); m.cfg.Serial != nil && !slices.Contains(m.lanes[lane], e) {
		m.lanes[lane] = append(m.lanes[lane], e)
	}
}

// next returns the entry to hand out next.
func (m *model) next() *entry {
	eligible := m.sorted(func(e *entry) bool { return e.waits() && m.mayGo(e) })
	if len(eligible) == 0 {
		return nil
	}
	slices.SortStableFunc(eligible, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.level, a.level))
	})
	if m.cfg.Group == nil {
		return eligible[0]
	}
	for level := eligible[0].level; ; {
		e := m.cell(level, m.rings[level][0])[0]
		if m.mayGo(e) {
			return e
		}
		m.exit(e)
	}
}

func (m *model) take(e *entry) workqueue.Work[string] {
	group := first(e.item)
	m.exit(e)
	if ring := m.rings[e.level]; len(ring) > 1 && ring[0] == group {
		m.rings[e.level] = append(slices.Clone(ring[1:]), group)
	}
	m.ago += m.now - e.added
	e.asked, e.handled, e.hold, e.taken, e.start = "", true, false, e.priority, m.now
	return workqueue.Work[string]{Item: e.item, Priority: e.taken, Retries: e.retries, Waited: m.now - e.ready}
}

func (m *model) done(e *entry) {
	e.handled = false
	m.took += m.now - e.start
	if lane := last(e.item); m.cfg.Serial != nil && !e.hold {
		if m.lanes[lane] = m.lanes[lane][1:]; len(m.lanes[lane]) > 0 {
			m.enter(m.lanes[lane][0])
		}
	}
	switch e.asked {
	case "due":
		e.ready = m.now
		m.line(e, m.now)
	case "":
		m.drop(e)
	}
}

func (m *model) ask(e *entry, priority int8, after time.Duration) {
	was := e.priority
	if e.priority = max(e.priority, priority); e.asked == "" {
		e.priority = priority
	}
	switch {
	case e.asked == "due":
		if rank := m.now - time.Duration(e.priority)*m.cfg.Age; !e.handled && e.priority > was && rank < e.rank {
			m.exit(e)
			m.place(e, m.now)
		}
	case after <= 0:
		e.asked, e.ready, e.added = "due", m.now, m.now
		m.seq++
		e.seq = m.seq
		if !e.handled {
			m.line(e, m.now)
		}
	default:
		m.stats.Delays++
		if e.asked == "" || m.now+after < e.ready {
			m.seq++
			e.asked, e.ready, e.seq = "delayed", m.now+after, m.seq
		}
	}
}

// pass advances the time.
func (m *model) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
	m.now += d
	for !m.stats.Closed {
		l := m.delayed()
		if len(l) == 0 || l[0].ready > m.now {
			return
		}
		l[0].asked, l[0].added = "due", l[0].ready
		if !l[0].handled {
			m.line(l[0], l[0].ready)
		}
	}
}

func (m *model) delayed() (l []*entry) {
	for _, e := range m.held {
		if e.asked == "delayed" {
			l = append(l, e)
		}
	}
	slices.SortFunc(l, func(a, b *entry) int { return cmp.Or(cmp.Compare(a.ready, b.ready), cmp.Compare(a.seq, b.seq)) })
	return l
}

// admit returns the entry of an item, and the error that the call must return. A queue ends
// after a call, not between the items of AddAll.
func (m *model) admit(item string) (*entry, error) {
	if e := m.find(item); e != nil && !m.closed {
		return e, nil
	}
	switch {
	case m.stats.Closed:
		return nil, workqueue.ErrClosed
	case m.cfg.Limit > 0 && len(m.held) >= m.cfg.Limit && m.cfg.Full == workqueue.Refuse:
		return nil, workqueue.ErrFull
	case m.cfg.Limit > 0 && len(m.held) >= m.cfg.Limit:
		return nil, context.Canceled
	}
	e := &entry{item: item}
	m.held = append(m.held, e)
	return e, nil
}

// ended reports whether a closed queue has no more items to hand out. Like next, it removes
// the items from the lines that wait for another item of their serial name.
func (m *model) ended() bool {
	if m.stats.Closed && !m.closed && len(m.handled()) == 0 {
		m.closed = m.next() == nil
	}
	return m.closed
}

func (m *model) add(t *rapid.T) {
	item := drawItem(t)
	o := workqueue.Options{
		Priority: int8(rapid.IntRange(-2, 2).Draw(t, "priority")),
		After:    rapid.SampledFrom([]time.Duration{-1, 0, 0, 0, 4 * time.Millisecond, 9 * time.Millisecond}).Draw(t, "after"),
	}
	e, want := m.admit(item)
	if err := m.q.AddWith(noWait(), item, o); !errors.Is(err, want) {
		t.Fatalf("Add %s: %v, want %v", item, err, want)
	}
	if want == nil {
		m.stats.Adds++
		m.ask(e, o.Priority, o.After)
	}
}

func (m *model) addAll(t *rapid.T) {
	items := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return drawItem(t) }), 0, 5).Draw(t, "items")
	added, want := 0, error(nil)
	for _, item := range items {
		var e *entry
		if e, want = m.admit(item); want != nil {
			break
		}
		added++
		m.stats.Adds++
		m.ask(e, 1, 0)
	}
	if n, err := m.q.AddAll(noWait(), items, workqueue.Options{Priority: 1}); n != added || !errors.Is(err, want) {
		t.Fatalf("AddAll %v: %d, %v; want %d, %v", items, n, err, added, want)
	}
}

func (m *model) retry(t *rapid.T) {
	item := drawItem(t)
	retries := 0
	if e := m.find(item); e != nil {
		retries = e.retries
	}
	e, want := m.admit(item)
	after, err := m.q.Retry(noWait(), item)
	if !errors.Is(err, want) {
		t.Fatalf("Retry %s: %v, want %v", item, err, want)
	}
	if want != nil {
		return
	}
	if after != (linear{}).Delay(retries) {
		t.Fatalf("Retry %s after %v: %v", item, retries, after)
	}
	m.stats.Retries++
	e.retries++
	priority := e.priority
	if e.handled {
		e.hold, priority = true, e.taken
	}
	m.ask(e, priority, after)
}

func (m *model) get(t *rapid.T) {
	into := make([]workqueue.Work[string], rapid.IntRange(1, 3).Draw(t, "most"))
	var want []workqueue.Work[string]
	wantErr := error(workqueue.ErrClosed)
	if !m.ended() {
		for len(want) < len(into) {
			e := m.next()
			if e == nil {
				break
			}
			want = append(want, m.take(e))
		}
		wantErr = nil
		if len(want) == 0 {
			wantErr = context.Canceled
		}
	}
	if len(into) == 1 && rapid.Bool().Draw(t, "try") {
		if w, ok := m.q.TryGet(); ok != (len(want) == 1) || ok && w != want[0] {
			t.Fatalf("TryGet: %v, %v, want %v", w, ok, want)
		}
		return
	}
	n, err := m.q.GetBatch(noWait(), into)
	if diff := gocmp.Diff(want, slices.Clip(into[:n:n]), equateEmpty); diff != "" || !errors.Is(err, wantErr) {
		t.Fatalf("GetSome: %v, want %v\n%s", err, wantErr, diff)
	}
}

// work makes a worker end its item and take the next one.
func (m *model) work(t *rapid.T) {
	w := &m.crew[rapid.IntRange(0, 1).Draw(t, "worker")]
	if w.held != nil {
		m.done(w.held)
		w.held = nil
	}
	if rapid.IntRange(0, 4).Draw(t, "only done") == 0 {
		w.Done()
		return
	}
	var want workqueue.Work[string]
	wantErr := error(workqueue.ErrClosed)
	if !m.ended() {
		if wantErr = context.Canceled; m.next() != nil {
			wantErr, w.held = nil, m.next()
			want = m.take(w.held)
		}
	}
	if got, err := w.Next(noWait()); got != want || !errors.Is(err, wantErr) {
		t.Fatalf("Next: %v, %v; want %v, %v", got, err, want, wantErr)
	}
}

// byWorker reports whether a worker handles an entry.
func (m *model) byWorker(e *entry) bool {
	return e != nil && (m.crew[0].held == e || m.crew[1].held == e)
}

func (m *model) finish(t *rapid.T) {
	item := drawItem(t)
	if running := slices.DeleteFunc(m.handled(), m.byWorker); len(running) > 0 && rapid.IntRange(0, 9).Draw(t, "right") > 0 {
		item = rapid.SampledFrom(running).Draw(t, "handled").item
	}
	e, want := m.find(item), error(nil)
	if m.byWorker(e) {
		return
	}
	if e == nil || !e.handled {
		want = workqueue.ErrNotHandled
	}
	if err := m.q.Done(item); !errors.Is(err, want) {
		t.Fatalf("Done %s: %v, want %v", item, err, want)
	}
	if want == nil {
		m.done(e)
	}
}

func (m *model) handled() (l []*entry) {
	for _, e := range m.held {
		if e.handled {
			l = append(l, e)
		}
	}
	return l
}

func drawItem(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"}).Draw(t, "item")
}
