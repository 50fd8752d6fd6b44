package delta_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// modelItem is a key that waits, or a barrier.
type modelItem struct {
	key wire.Key
	l   []delta.Entry
}

func (it modelItem) barrier() bool { return it.key == wire.Key{} }

// coalescedModel is a Coalesced and what it should be: a slice, searched and
// cut anew for each call.
type coalescedModel struct {
	q      *delta.Coalesced
	limits delta.Limits
	order  []modelItem
	held   []modelItem // in process, the innermost last
	epoch  uint64
	synced bool
	closed bool
}

func state(e delta.Entry) bool { return e.Kind != delta.Deleted && e.Kind < delta.Bookmarked }

// objects cuts a list into what belongs to one object each.
func objects(l []delta.Entry) (runs [][]delta.Entry) {
	var run []delta.Entry
	for _, e := range l {
		if run = append(run, e); e.Kind == delta.Deleted {
			runs, run = append(runs, run), nil
		}
	}
	if run != nil {
		runs = append(runs, run)
	}
	return runs
}

// joined is the list with another entry.
func joined(l []delta.Entry, e delta.Entry) []delta.Entry {
	l = slices.Clone(l)
	if n := len(l); n > 0 {
		p := l[n-1]
		sameKind, sameObject := p.Kind == e.Kind, p.Record.UID == e.Record.UID
		switch {
		case sameKind && sameObject && (e.Kind == delta.Deleted || e.Version > 0 && e.Version == p.Version):
			l = l[:n-1]
		case state(p) && !sameObject:
			l = append(l, delta.Entry{Kind: delta.Deleted, Missed: true, Version: e.Version, Epoch: e.Epoch, Record: p.Record})
		}
	}
	l = append(l, e)
	for len(l) > delta.KeyEntries {
		runs := objects(l)
		i := slices.IndexFunc(runs, func(run []delta.Entry) bool { return len(run) > 2 && state(run[2]) })
		if i >= 0 {
			runs[i] = slices.Delete(slices.Clone(runs[i]), 1, 2)
		} else {
			runs = slices.Delete(runs, 1, 2)
		}
		l = slices.Concat(runs...)
	}
	return l
}

func (m *coalescedModel) find(key wire.Key) int {
	return slices.IndexFunc(m.order, func(it modelItem) bool { return it.key == key })
}

func (m *coalescedModel) holds(key wire.Key) bool {
	return slices.ContainsFunc(m.held, func(it modelItem) bool { return it.key == key })
}

func (m *coalescedModel) len() (deltas, bytes int) {
	for _, it := range slices.Concat(m.order, m.held) {
		deltas += len(it.l)
		for _, e := range it.l {
			bytes += len(e.Record.Body)
		}
	}
	return deltas, bytes
}

func (m *coalescedModel) room(size int) bool {
	deltas, bytes := m.len()
	return deltas == 0 || deltas < m.limits.Deltas && bytes+size <= m.limits.Bytes
}

func (m *coalescedModel) add(key wire.Key, e delta.Entry) {
	e.Epoch = m.epoch
	i := m.find(key)
	if i < 0 {
		i, m.order = len(m.order), append(m.order, modelItem{key: key})
	}
	m.order[i].l = joined(m.order[i].l, e)
}

func drawRecord(t *rapid.T) wire.Record {
	rec := record(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key"), rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "uid"), rapid.IntRange(0, 4).Draw(t, "version"))
	rec.Body = make([]byte, rapid.IntRange(0, 20).Draw(t, "size"))
	return rec
}

func (m *coalescedModel) put(t *rapid.T) {
	rec := drawRecord(t)
	kind := rapid.SampledFrom([]delta.EntryKind{delta.Added, delta.Updated, delta.Deleted, delta.Sync}).Draw(t, "kind")
	pending := m.find(rec.Key) >= 0 || m.holds(rec.Key)
	dropped := kind == delta.Sync && pending
	room := dropped || m.room(len(rec.Body))
	ctx := noWait()
	var err error
	switch kind {
	case delta.Added:
		err = m.q.Add(ctx, rec)
	case delta.Updated:
		err = m.q.Update(ctx, rec)
	case delta.Deleted:
		err = m.q.Delete(ctx, rec)
	case delta.Sync:
		err = m.q.Resync(ctx, slices.Values([]wire.Record{rec}))
	}
	ended(t, kind.String(), err, m.closed, room)
	if !m.closed && room && !dropped {
		m.add(rec.Key, delta.Entry{Kind: kind, Version: rec.Version, Record: rec})
	}
}

func (m *coalescedModel) bookmark(t *rapid.T) {
	v, room := wire.Version(rapid.IntRange(1, 99).Draw(t, "bookmark")), m.room(0)
	ended(t, "Bookmark", m.q.Bookmark(noWait(), v), m.closed, room)
	if m.closed || !room {
		return
	}
	if n := len(m.order); n > 0 && m.order[n-1].l[0].Kind == delta.Bookmarked {
		m.order = m.order[:n-1]
	}
	m.order = append(m.order, modelItem{l: []delta.Entry{{Kind: delta.Bookmarked, Version: v, Epoch: m.epoch}}})
}

func (m *coalescedModel) replace(t *rapid.T) {
	recs := make([]wire.Record, rapid.IntRange(0, 3).Draw(t, "records"))
	for i := range recs {
		recs[i] = drawRecord(t)
	}
	v := wire.Version(rapid.IntRange(1, 99).Draw(t, "list"))
	err := m.q.Replace(noWait(), recs, v)
	room := true
	m.epoch++
	if !m.closed {
		for _, rec := range recs {
			if room = room && m.room(len(rec.Body)); room {
				m.add(rec.Key, delta.Entry{Kind: delta.Replaced, Version: rec.Version, Record: rec})
			}
		}
		room = room && m.room(0)
	}
	ended(t, "Replace", err, m.closed, room)
	if m.closed || !room {
		return
	}
	last := map[wire.Key]delta.Entry{}
	for _, it := range slices.Concat(m.held, m.order) {
		last[it.key] = it.l[len(it.l)-1]
	}
	for _, key := range []string{"a", "b", "c"} {
		key := wire.Key{Name: key}
		if e, ok := last[key]; ok && state(e) && e.Epoch < m.epoch {
			m.add(key, delta.Entry{Kind: delta.Deleted, Missed: true, Version: v, Record: e.Record})
		}
	}
	m.order = append(m.order, modelItem{l: []delta.Entry{{Kind: delta.ReplacedEnd, Version: v, Epoch: m.epoch}}})
}

// next is where the item stands whose turn it is; -1 if none.
func (m *coalescedModel) next() int {
	if slices.ContainsFunc(m.held, modelItem.barrier) {
		return -1
	}
	for i, it := range m.order {
		if it.barrier() && len(m.held) > 0 {
			return -1
		}
		if it.barrier() || !m.holds(it.key) {
			return i
		}
	}
	return -1
}

// pop processes an item, or fails to; while it does, anything else may happen,
// other Pops included.
func (m *coalescedModel) pop(t *rapid.T) {
	i := m.next()
	outcome := rapid.SampledFrom([]string{"nil", "error", "panic"}).Draw(t, "outcome")
	var it modelItem
	if i >= 0 {
		it, m.order = m.order[i], slices.Delete(slices.Clone(m.order), i, i+1)
		m.held = append(m.held, it)
	}
	calls := 0
	err := recovered(func() error {
		return m.q.Pop(noWait(), func(key wire.Key, l []delta.Entry) error {
			calls++
			if got, want := showAll(key, l), showAll(it.key, it.l); got != want {
				t.Fatalf("Pop:\n%s\nwant:\n%s", got, want)
			}
			for range rapid.IntRange(0, 4).Draw(t, "meanwhile") {
				m.step(t)
			}
			switch outcome {
			case "error":
				return errFailed
			case "panic":
				panic(errFailed)
			}
			return nil
		})
	})
	switch {
	case i < 0:
		empty := m.closed && len(m.order)+len(m.held) == 0
		if ended(t, "Pop", err, empty, false); calls > 0 {
			t.Fatal("Pop processed nothing")
		}
		return
	case calls != 1 || errors.Is(err, errFailed) != (outcome != "nil"):
		t.Fatalf("Pop: %d calls, %v after %s", calls, err, outcome)
	}
	m.held = m.held[:len(m.held)-1]
	if err == nil {
		m.synced = m.synced || it.l[0].Kind == delta.ReplacedEnd
	} else {
		m.back(it)
	}
}

// back puts in what failed: a barrier first, a key before the first barrier.
func (m *coalescedModel) back(it modelItem) {
	at := 0
	if !it.barrier() {
		if i := m.find(it.key); i >= 0 {
			for _, e := range m.order[i].l {
				it.l = joined(it.l, e)
			}
			m.order = slices.Delete(slices.Clone(m.order), i, i+1)
		}
		if at = slices.IndexFunc(m.order, modelItem.barrier); at < 0 {
			at = len(m.order)
		}
	}
	m.order = slices.Insert(slices.Clone(m.order), at, it)
}

// cancelled makes every call with a context that is done: nothing happens, but
// that Replace counts.
func (m *coalescedModel) cancelled(t *rapid.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m.epoch++
	for _, err := range []error{
		m.q.Add(ctx, wire.Record{}), m.q.Bookmark(ctx, 1), m.q.Replace(ctx, nil, 1),
		m.q.Resync(ctx, slices.Values([]wire.Record{{}})),
		m.q.Pop(ctx, func(wire.Key, []delta.Entry) error { t.Fatal("processed"); return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("with a context that is done: %v", err)
		}
	}
}

func (m *coalescedModel) step(t *rapid.T) {
	switch n := rapid.IntRange(0, 99).Draw(t, "step"); {
	case n < 55:
		m.put(t)
	case n < 80:
		m.pop(t)
	case n < 87:
		m.bookmark(t)
	case n < 95:
		m.replace(t)
	case n < 98:
		m.cancelled(t)
	case rapid.IntRange(0, 9).Draw(t, "luck") == 0:
		m.q.Close()
		m.closed = true
	}
	gotDeltas, gotBytes := m.q.Len()
	if deltas, bytes := m.len(); gotDeltas != deltas || gotBytes != bytes {
		t.Fatalf("Len: %d, %d; want %d, %d", gotDeltas, gotBytes, deltas, bytes)
	}
	if gotDeltas > 2*m.limits.Deltas {
		t.Fatalf("%d deltas, more than twice %d", gotDeltas, m.limits.Deltas)
	}
	if m.q.HasSynced() != m.synced {
		t.Fatalf("HasSynced: %v, want %v", m.q.HasSynced(), m.synced)
	}
}

// TestCoalescedAgainstModel plays random calls, nested ones included, against
// slices.
func TestCoalescedAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &coalescedModel{limits: delta.Limits{Deltas: rapid.IntRange(1, 40).Draw(t, "deltas"), Bytes: rapid.IntRange(1, 400).Draw(t, "bytes")}}
		m.q = delta.NewCoalesced(m.limits)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			m.step(t)
		}
	})
}

// TestFoldingKeepsWhatMatters holds what is promised of a list that is too long
// against the whole story, whatever the story.
func TestFoldingKeepsWhatMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := delta.NewCoalesced(delta.Limits{})
		var story []string
		uid := 1
		for v := range rapid.IntRange(1, 40).Draw(t, "length") {
			rec := record("a", strings.Repeat("x", uid), v+1)
			var err error
			switch n := rapid.IntRange(0, 9).Draw(t, "what"); {
			case n < 5:
				err = q.Update(context.Background(), rec)
				story = append(story, show(delta.Entry{Kind: delta.Updated, Version: rec.Version, Record: rec}))
			default:
				err = q.Delete(context.Background(), rec)
				story = append(story, show(delta.Entry{Kind: delta.Deleted, Version: rec.Version, Record: rec}))
				uid++
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		_ = q.Pop(context.Background(), func(_ wire.Key, l []delta.Entry) error {
			checkFolded(t, story, l)
			return nil
		})
	})
}

func checkFolded(t *rapid.T, story []string, l []delta.Entry) {
	if len(l) > delta.KeyEntries || len(story) <= delta.KeyEntries && len(l) != len(story) {
		t.Fatalf("%d entries of %d", len(l), len(story))
	}
	at := 0
	for i, e := range l {
		j := slices.Index(story[at:], show(e))
		if j < 0 {
			t.Fatalf("%s is not in the story after what came before it", show(e))
		}
		if i > 0 && l[i-1].Record.UID != e.Record.UID && l[i-1].Kind != delta.Deleted {
			t.Fatalf("no deletion before %s", show(e))
		}
		at += j + 1
	}
	if first, last := show(l[0]), show(l[len(l)-1]); first != story[0] || last != story[len(story)-1] {
		t.Fatalf("first %s, last %s; want %s, %s", first, last, story[0], story[len(story)-1])
	}
}
