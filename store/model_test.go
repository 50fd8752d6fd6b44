package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// record returns a record whose body can be told from that of any other.
func record(key, uid string, v int) wire.Record {
	k := wire.Key{Namespace: key[:1], Name: key[1:]}
	return wire.Record{Key: k, UID: uid, Version: wire.Version(v), Encoding: wire.JSON, Body: []byte(key + uid + strconv.Itoa(v))}
}

func upsert(key, uid string, v int) delta.Delta {
	return delta.Delta{Kind: delta.Upsert, Version: wire.Version(v), Record: record(key, uid, v)}
}

func remove(key, uid string, v int) delta.Delta {
	return delta.Delta{Kind: delta.Delete, Version: wire.Version(v), Record: record(key, uid, v)}
}

func end(v int) delta.Delta { return delta.Delta{Kind: delta.End, Version: wire.Version(v)} }

var begin = delta.Delta{Kind: delta.Begin}

// apply applies a batch, and then spoils its memory: the store must not keep it.
func apply(t interface{ Fatal(...any) }, s *store.Store, batch ...delta.Delta) {
	if err := s.Apply(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	for i := range batch {
		clear(batch[i].Record.Body)
		batch[i] = delta.Delta{}
	}
}

// contents returns what a snapshot shows, and checks that its ways of asking
// agree.
func contents(t interface{ Fatalf(string, ...any) }, s *store.Snapshot) map[wire.Key]string {
	all := map[wire.Key]string{}
	var last *wire.Key
	bytes, n := int64(0), map[string]int{}
	for rec := range s.All() {
		if last != nil && last.Compare(rec.Key) >= 0 {
			t.Fatalf("%v after %v", rec.Key, *last)
		}
		last = &rec.Key
		all[rec.Key] = rec.UID + "@" + rec.Version.String() + "=" + string(rec.Body)
		bytes += int64(len(rec.Body))
		n[rec.Namespace]++
		if got, ok := s.Get(rec.Key); !ok || got.Version != rec.Version {
			t.Fatalf("Get of %v: %v, %v", rec.Key, got, ok)
		}
	}
	for ns, want := range n {
		if got := len(slices.Collect(s.Namespace(ns))); got != want {
			t.Fatalf("namespace %q has %d, want %d", ns, got, want)
		}
	}
	if s.Len() != len(all) || s.Bytes() != bytes {
		t.Fatalf("Len %d and Bytes %d, want %d and %d", s.Len(), s.Bytes(), len(all), bytes)
	}
	return all
}

// follower is a subscriber that replays changes, starting from a snapshot.
type follower struct {
	sub   *store.Subscription
	state map[wire.Key]string
}

func follow(t interface{ Fatalf(string, ...any) }, s *store.Store) *follower {
	sub := s.Subscribe()
	return &follower{sub, contents(t, sub.Snapshot())}
}

func entry(r *wire.Record) string { return r.UID + "@" + r.Version.String() + "=" + string(r.Body) }

// take replays what has come, and checks that each change follows from the state
// before it.
func (f *follower) take(t *rapid.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for {
		changes, err := f.sub.Next(done)
		if errors.Is(err, context.Canceled) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			key := c.Last().Key
			had, known := f.state[key]
			switch {
			case c.Kind == store.Added && !known && c.Old == nil:
				f.state[key] = entry(c.New)
			case c.Kind == store.Updated && known && had == entry(c.Old) && c.Old.UID == c.New.UID && c.Old.Version != c.New.Version:
				f.state[key] = entry(c.New)
			case c.Kind == store.Deleted && known && had == entry(c.Old) && c.Missed == (c.New == nil):
				delete(f.state, key)
			default:
				t.Fatalf("%v of %v does not follow from %q", c.Kind, key, had)
			}
		}
	}
}

// model is a server and the naive store of one who sees everything of it.
type model struct {
	version int
	objects map[string][2]string // key -> uid, version
	uids    int
}

// step makes one change on the server and returns its event.
func (m *model) step(t *rapid.T) delta.Delta {
	key := rapid.SampledFrom([]string{"ax", "ay", "bx", "by"}).Draw(t, "key")
	m.version++
	o, there := m.objects[key]
	if there && rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
		delete(m.objects, key)
		return remove(key, o[0], m.version)
	}
	if !there {
		m.uids++
		o[0] = fmt.Sprintf("u%d", m.uids)
	}
	o[1] = strconv.Itoa(m.version)
	m.objects[key] = o
	return upsert(key, o[0], m.version)
}

func (m *model) want() map[wire.Key]string {
	want := map[wire.Key]string{}
	for key, o := range m.objects {
		v, _ := strconv.Atoi(o[1])
		rec := record(key, o[0], v)
		want[rec.Key] = entry(&rec)
	}
	return want
}

// TestAgainstModel plays events, lists, repeated and old events against a store
// that has fast, slow and late subscribers, and looks whether all of them end
// where the server is. Old snapshots must stay what they were.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := store.New(store.Config{})
		m := &model{objects: map[string][2]string{}}
		followers := []*follower{follow(t, s)}
		defer func() {
			for _, f := range followers {
				f.sub.Close()
			}
		}()
		var history []delta.Delta
		var kept *store.Snapshot
		var keptAs map[wire.Key]string
		list := func() []delta.Delta {
			batch := []delta.Delta{begin}
			for _, key := range slices.Sorted(maps.Keys(m.objects)) {
				v, _ := strconv.Atoi(m.objects[key][1])
				batch = append(batch, upsert(key, m.objects[key][0], v))
			}
			return append(batch, end(m.version))
		}
		apply(t, s, list()...)
		t.Repeat(map[string]func(*rapid.T){
			"events": func(t *rapid.T) {
				var batch []delta.Delta
				for range rapid.IntRange(1, 5).Draw(t, "n") {
					d := m.step(t)
					history = append(history, d)
					batch = append(batch, clone(d))
				}
				apply(t, s, batch...)
			},
			"missed events and a list": func(t *rapid.T) {
				for range rapid.IntRange(0, 5).Draw(t, "n") {
					m.step(t)
				}
				if rapid.Bool().Draw(t, "cut list first") {
					half := list()
					apply(t, s, half[:len(half)/2]...)
				}
				apply(t, s, list()...)
			},
			"old event": func(t *rapid.T) {
				if len(history) > 0 {
					apply(t, s, clone(rapid.SampledFrom(history).Draw(t, "old")))
				}
			},
			"late subscriber":   func(t *rapid.T) { followers = append(followers, follow(t, s)) },
			"subscriber takes":  func(t *rapid.T) { rapid.SampledFrom(followers).Draw(t, "who").take(t) },
			"keep the snapshot": func(t *rapid.T) { kept = s.Snapshot(); keptAs = contents(t, kept) },
			"": func(t *rapid.T) {
				if got := contents(t, s.Snapshot()); !maps.Equal(got, m.want()) {
					t.Fatalf("store %v, server %v", got, m.want())
				}
				if v := s.Snapshot().Version(); int(v) > m.version {
					t.Fatalf("version %v, the server is at %v", v, m.version)
				}
				if kept != nil && !maps.Equal(contents(t, kept), keptAs) {
					t.Fatal("a snapshot has changed")
				}
			},
		})
		for i, f := range followers {
			f.take(t)
			if !maps.Equal(f.state, m.want()) {
				t.Fatalf("subscriber %d has %v, the server %v", i, f.state, m.want())
			}
		}
	})
}

func clone(d delta.Delta) delta.Delta {
	d.Record.Body = slices.Clone(d.Record.Body)
	return d
}
