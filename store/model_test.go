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
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// record returns a record with a unique body.
func record(key, uid string, v int) wire.Record {
	k := wire.Key{Namespace: key[:1], Name: key[1:]}
	return wire.Record{Key: k, UID: uid, Version: wire.Version(v), Encoding: wire.JSON, Body: []byte(key + uid + strconv.Itoa(v))}
}

// shown returns a delta with the content that a server shows for its object since it has
// changed the schema a number of times.
func shown(d delta.Delta, schema int) delta.Delta {
	d.Record.Body = slices.Clone(d.Record.Body)
	if schema > 0 {
		d.Record.Body = fmt.Appendf(d.Record.Body, " in schema %d", schema)
	}
	return d
}

func upsert(key, uid string, v int) delta.Delta {
	return delta.Delta{Kind: delta.Upsert, Version: wire.Version(v), Record: record(key, uid, v)}
}

func remove(key, uid string, v int) delta.Delta {
	return delta.Delta{Kind: delta.Delete, Version: wire.Version(v), Record: record(key, uid, v)}
}

func end(v int) delta.Delta { return delta.Delta{Kind: delta.End, Version: wire.Version(v)} }

var begin = delta.Delta{Kind: delta.Begin}

// apply applies a batch and then overwrites its memory, because the store must not keep
// it.
func apply(t interface{ Fatal(...any) }, s *store.Store, batch ...delta.Delta) {
	if err := s.Apply(context.Background(), batch); err != nil {
		t.Fatal(err)
	}
	for i := range batch {
		clear(batch[i].Record.Body)
		batch[i] = delta.Delta{}
	}
}

// digits returns the values of the test index: the last digit of the version, and "even"
// or "odd".
func digits(dst []string, rec *wire.Record, _ any) []string {
	return append(dst, fmt.Sprint(rec.Version%10), [...]string{"even", "odd"}[rec.Version%2])
}

// contents returns the objects of a snapshot, and checks that its methods agree.
func contents(t interface{ Fatalf(string, ...any) }, s *store.Snapshot, indexes ...*store.Index) map[wire.Key]string {
	all := map[wire.Key]string{}
	var last *wire.Key
	bytes, n, values := int64(0), map[string]int{}, map[string]int{}
	for e := range s.All() {
		rec := e.Record()
		if last != nil && last.Compare(rec.Key) >= 0 {
			t.Fatalf("got %v after %v", rec.Key, *last)
		}
		last = &rec.Key
		all[rec.Key] = entry(e)
		bytes += int64(len(rec.Body))
		n[rec.Namespace]++
		for _, v := range digits(nil, &rec, nil) {
			values[v]++
		}
		if got, ok := s.Get(rec.Key); !ok || got != e || got.Key() != rec.Key || got.UID() != rec.UID || got.Version() != rec.Version || got.Len() != len(rec.Body) {
			t.Fatalf("Get(%v): got %v, %v", rec.Key, got, ok)
		}
	}
	for ns, want := range n {
		if got := len(slices.Collect(s.Namespace(ns))); got != want {
			t.Fatalf("got namespace %q with %d, want %d", ns, got, want)
		}
	}
	if s.Len() != len(all) || s.Bytes() != bytes {
		t.Fatalf("got Len %d and Bytes %d, want %d and %d", s.Len(), s.Bytes(), len(all), bytes)
	}
	for _, x := range indexes {
		if !x.In(s) {
			continue // the index is newer than the snapshot
		}
		if got := maps.Collect(x.Values(s)); !maps.Equal(got, values) {
			t.Fatalf("got index values %v, want %v", got, values)
		}
		for v, want := range values {
			last = nil
			for e := range x.Get(s, v) {
				rec := e.Record()
				if at, ok := s.Get(rec.Key); !ok || at != e || !slices.Contains(digits(nil, &rec, nil), v) || last != nil && last.Compare(rec.Key) >= 0 {
					t.Fatalf("got an unexpected object %v at index value %q", rec, v)
				}
				last = &rec.Key
				want--
			}
			if want != 0 || x.Len(s, v) != values[v] {
				t.Fatalf("objects are missing at index value %q", v)
			}
		}
	}
	return all
}

// follower is a subscriber that replays changes on a state that begins with a snapshot.
type follower struct {
	sub   *store.Subscription
	mode  store.Mode
	state map[wire.Key]string
	count uint64 // number of changes, including folded ones
}

func follow(t interface{ Fatalf(string, ...any) }, s *store.Store, mode store.Mode) *follower {
	sub := s.Subscribe(mode)
	return &follower{sub: sub, mode: mode, state: contents(t, sub.Snapshot())}
}

func entry(e store.Entry) string {
	r := e.Record()
	return r.UID + "@" + r.Version.String() + "=" + string(r.Body)
}

// take replays the pending changes, and checks that each change follows from the state
// before it.
func (f *follower) take(t *rapid.T) {
	if rapid.Bool().Draw(t, "catch up") {
		changes, now, err := f.sub.CatchUp()
		if err != nil {
			t.Fatal(err)
		}
		f.replay(t, changes)
		if want := contents(t, now); !maps.Equal(f.state, want) {
			t.Fatalf("got snapshot %v, but the changes lead to %v", want, f.state)
		}
		return
	}
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
		f.replay(t, changes)
	}
}

func (f *follower) replay(t *rapid.T, changes []store.Change) {
	once := map[wire.Key]store.ChangeKind{}
	for _, c := range changes {
		key := c.Last().Key()
		had, known := f.state[key]
		if f.count += 1 + uint64(c.Folded); f.mode != store.EveryChange && (c.Folded > 0 || c.CameAndWent()) {
			t.Fatalf("got %v with %d folded changes", c.Kind, c.Folded)
		}
		switch {
		case c.CameAndWent() && c.Kind == store.Deleted && !known && !c.Old.IsZero() && c.Folded > 0:
			continue
		case c.Kind == store.Added && !known && c.Old.IsZero():
			f.state[key] = entry(c.New)
		case c.Kind == store.Updated && known && had == entry(c.Old) && c.Old.UID() == c.New.UID() && had != entry(c.New):
			f.state[key] = entry(c.New)
		case c.Kind == store.Deleted && known && had == entry(c.Old):
			delete(f.state, key)
		default:
			t.Fatalf("got %v of %v, which does not follow from %q", c.Kind, key, had)
		}
		before, twice := once[key]
		if f.mode == store.Latest && twice && !(before == store.Deleted && c.Kind == store.Added) {
			t.Fatalf("got %v after %v of %v in one call", c.Kind, before, key)
		}
		once[key] = c.Kind
	}
}

// model is a server with its state and the events so far.
type model struct {
	version int
	objects map[string][2]string // key -> uid, version
	uids    int
	schema  int // changes of the schema, each of which changes the content of all objects
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
		rec := shown(upsert(key, o[0], v), m.schema).Record
		want[rec.Key] = rec.UID + "@" + rec.Version.String() + "=" + string(rec.Body)
	}
	return want
}

// list returns the current list of the scope.
func (m *model) list(scope delta.Scope) []delta.Delta {
	batch := []delta.Delta{begin}
	for _, key := range slices.Sorted(maps.Keys(m.objects)) {
		if v, _ := strconv.Atoi(m.objects[key][1]); scope.Covers(record(key, "", 0).Key) {
			batch = append(batch, shown(upsert(key, m.objects[key][0], v), m.schema))
		}
	}
	batch = append(batch, end(m.version))
	for i := range batch {
		batch[i].Scope = scope
	}
	return batch
}

// shownAgain returns an event for each object, with its content in the current schema.
func (m *model) shownAgain(scoped func(delta.Delta) delta.Delta) (batch []delta.Delta) {
	for _, key := range slices.Sorted(maps.Keys(m.objects)) {
		v, _ := strconv.Atoi(m.objects[key][1])
		batch = append(batch, scoped(upsert(key, m.objects[key][0], v)))
	}
	return batch
}

// TestAgainstModel applies events, lists, repeated events, old events and other content at
// the same versions, of one or two scopes, to a store with fast, slow and late subscribers of all modes. All of them must
// reach the state of the server. A subscriber of EveryChange must get as many changes,
// including folded ones, as a Lossless subscriber. Old snapshots must not change, and all
// indexes must agree with them.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	testinput.Check(t, func(t *rapid.T) {
		group := new(store.Group)
		s := store.New(store.Config{Backlog: 20, Group: group})
		m := &model{objects: map[string][2]string{}}
		scopes := rapid.SampledFrom([][]delta.Scope{{{}}, {{Namespace: "a"}, {Namespace: "b"}}}).Draw(t, "scopes")
		scoped := func(d delta.Delta) delta.Delta {
			for _, scope := range scopes {
				if scope.Covers(d.Record.Key) {
					d.Scope = scope
				}
			}
			return shown(d, m.schema)
		}
		indexes := []*store.Index{s.AddIndex(digits)}
		followers := []*follower{follow(t, s, store.EveryChange), follow(t, s, store.Latest), follow(t, s, store.Lossless)}
		defer func() {
			for _, f := range followers {
				f.sub.Close()
			}
		}()
		var history []delta.Delta
		var kept *store.Snapshot
		var keptAs map[wire.Key]string
		room := func(t *rapid.T) { // the store must not wait for a subscriber
			for _, f := range followers {
				if f.mode == store.Lossless && f.sub.Pending() > 4 {
					f.take(t)
				}
			}
		}
		lists := func(t *rapid.T) {
			for _, scope := range scopes {
				if rapid.Bool().Draw(t, "cut list first") {
					half := m.list(scope)
					apply(t, s, half[:len(half)/2]...)
				}
				apply(t, s, m.list(scope)...)
			}
		}
		lists(t)
		t.Repeat(map[string]func(*rapid.T){
			"events": func(t *rapid.T) {
				var batch []delta.Delta
				for range rapid.IntRange(1, 5).Draw(t, "n") {
					d := m.step(t)
					history = append(history, d)
					batch = append(batch, scoped(d))
				}
				apply(t, s, batch...)
			},
			"missed events and a list": func(t *rapid.T) {
				for range rapid.IntRange(0, 5).Draw(t, "n") {
					m.step(t)
				}
				lists(t)
			},
			"the schema changes": func(t *rapid.T) {
				m.schema++
				if lists(t); rapid.Bool().Draw(t, "by events too") {
					m.schema++
					apply(t, s, m.shownAgain(scoped)...)
				}
			},
			"old event": func(t *rapid.T) {
				if len(history) > 0 {
					apply(t, s, scoped(rapid.SampledFrom(history).Draw(t, "old")))
				}
			},
			"a scope leaves and comes back": func(t *rapid.T) {
				scope := rapid.SampledFrom(scopes).Draw(t, "scope")
				apply(t, s, delta.Delta{Kind: delta.Leave, Scope: scope})
				for range s.Snapshot().Within(scope) {
					t.Fatal("got objects of a removed scope")
				}
				apply(t, s, m.list(scope)...)
			},
			"index": func(t *rapid.T) {
				if len(indexes) < 3 {
					indexes = append(indexes, s.AddIndex(digits))
				}
			},
			"late subscriber": func(t *rapid.T) {
				mode := rapid.SampledFrom([]store.Mode{store.EveryChange, store.Latest, store.Lossless}).Draw(t, "mode")
				followers = append(followers, follow(t, s, mode))
			},
			"subscriber takes":  func(t *rapid.T) { rapid.SampledFrom(followers).Draw(t, "who").take(t) },
			"keep the snapshot": func(t *rapid.T) { kept = s.Snapshot(); keptAs = contents(t, kept) },
			"": func(t *rapid.T) {
				room(t)
				if got := contents(t, s.In(group.View()), indexes...); !maps.Equal(got, m.want()) {
					t.Fatalf("got store %v, want the server's %v", got, m.want())
				}
				if v := s.Snapshot().Version(); int(v) > m.version {
					t.Fatalf("got version %v, want the server's %v", v, m.version)
				}
				if kept != nil && !maps.Equal(contents(t, kept, indexes...), keptAs) {
					t.Fatal("a snapshot has changed")
				}
			},
		})
		for i, f := range followers {
			f.take(t)
			for f.sub.Lag().Behind {
				f.take(t)
			}
			if !maps.Equal(f.state, m.want()) {
				t.Fatalf("subscriber %d: got %v, want the server's %v", i, f.state, m.want())
			}
		}
		every, lag := followers[0], followers[0].sub.Lag()
		if all := followers[2].count; lag.Unreported == 0 && every.count != all {
			t.Fatalf("got %d changes, want %d; %+v", every.count, all, lag)
		}
		if st := s.Stats(); lag.Episodes > st.FellBehind || lag.Folded > st.Folded || (lag.Episodes > 0) != (lag.Folded > 0) {
			t.Fatalf("got lag %+v, but the store counted %+v", lag, st)
		}
	})
}
