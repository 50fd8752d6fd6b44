package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// stored are lists of objects whose bodies a store keeps in different forms.
var stored = []struct {
	name    string
	cfg     store.Config
	objects func() []delta.Delta
}{
	{"plain", store.Config{}, func() []delta.Delta { return podsOf(3, body) }},
	{"packed with a dictionary", store.Config{}, func() []delta.Delta { return podsOf(1000, body) }},
	{"packed after siblings", store.Config{}, func() (all []delta.Delta) {
		for i := range 600 {
			all = append(all, replica(i/30, i/30, i%30, i+1, ""))
		}
		return all
	}},
	{"long blocks", store.Config{}, func() []delta.Delta {
		return podsOf(40, func(i, version int) []byte {
			return fmt.Appendf(nil, `{"a":"%s","version":"%d-%d"}`, strings.Repeat("block ", 4000), i, version)
		})
	}},
	{"long and plain", store.Config{}, func() []delta.Delta {
		return podsOf(40, func(i, _ int) []byte { return []byte(hexOf(rand.New(rand.NewPCG(3, uint64(i))), 12_000)) })
	}},
	{"objects", store.Config{Decode: decodeText}, func() []delta.Delta { return podsOf(100, body) }},
	{"objects only", store.Config{Decode: decodeText, Bodies: store.ObjectsOnly}, func() []delta.Delta { return podsOf(100, body) }},
	{"some objects", store.Config{Decode: decodeText, KeepObject: func(c store.Candidate) bool { return c.Size%2 == 0 }}, func() []delta.Delta { return podsOf(200, body) }},
	{"transformed", store.Config{Transform: upperCase}, func() []delta.Delta { return podsOf(100, body) }},
}

func decodeText(rec wire.Record) (any, error) { return string(rec.Body), nil }

func upperCase(rec wire.Record) (wire.Record, error) {
	rec.Body = bytes.ToUpper(rec.Body)
	return rec, nil
}

func podsOf(n int, text func(i, version int) []byte) (all []delta.Delta) {
	for i := range n {
		all = append(all, pod(i, i+1, text(i, i+1)))
	}
	return all
}

// TestContentIsCompared checks, for each form of stored bodies, that a list and events at the
// stored versions change exactly the objects whose content differs, and that the subscribers
// of all modes learn of them. Content that differs in one byte has the same length.
func TestContentIsCompared(t *testing.T) {
	t.Parallel()
	for _, c := range stored {
		for _, by := range []string{"list", "events"} {
			t.Run(c.name+" by "+by, func(t *testing.T) {
				s := store.New(c.cfg)
				show := func(change func(i int, body []byte)) {
					all := c.objects()
					for i := range all {
						change(i, all[i].Record.Body)
					}
					if by == "list" || s.Snapshot().Len() == 0 {
						all = slices.Concat([]delta.Delta{begin}, all, []delta.Delta{end(len(all))})
					}
					apply(t, s, all...)
				}
				same := func(int, []byte) {}
				odd := func(i int, body []byte) {
					if i%2 == 1 {
						body[len(body)/2] ^= 1
					}
				}
				show(same)
				latest, every := s.Subscribe(store.Latest), s.Subscribe(store.EveryChange)
				defer latest.Close()
				defer every.Close()
				n := s.Snapshot().Len()
				show(same)
				if changes, _ := every.Changes(); len(changes) > 0 || s.Stats().Unchanged != uint64(n) {
					t.Fatalf("the same content: got %d changes and %d unchanged objects, want 0 and %d", len(changes), s.Stats().Unchanged, n)
				}
				show(odd)
				show(odd)
				for _, sub := range []*store.Subscription{every, latest} {
					changes, _ := sub.Changes()
					if len(changes) != n/2 {
						t.Errorf("other content: got %d changes, want %d", len(changes), n/2)
					}
					for _, c := range changes {
						if c.Kind != store.Updated || c.Old.Version() != c.New.Version() || c.Old.SameContent(c.New) {
							t.Fatalf("got %v of %v from version %v to %v, the same content: %v", c.Kind, c.New.Key(), c.Old.Version(), c.New.Version(), c.Old.SameContent(c.New))
						}
					}
				}
			})
		}
	}
}

// TestContentBehind checks that subscribers that have fallen behind learn of other content at
// the stored versions.
func TestContentBehind(t *testing.T) {
	const n = 10
	s := store.New(store.Config{Backlog: 2})
	latest, every := s.Subscribe(store.Latest), s.Subscribe(store.EveryChange)
	defer latest.Close()
	defer every.Close()
	for round := range 4 {
		for i := range n {
			apply(t, s, pod(i, i+1, body(i, round)))
		}
		if round != 0 && round != 3 {
			continue
		}
		for _, sub := range []*store.Subscription{latest, every} {
			changed := map[wire.Key]string{}
			for changes := []store.Change{{}}; len(changes) > 0; {
				changes, _ = sub.Changes()
				for _, c := range changes {
					changed[c.New.Key()] = string(c.New.Record().Body)
				}
			}
			if len(changed) != n || changed[pod(3, 0, nil).Record.Key] != string(body(3, round)) {
				t.Errorf("round %d: got the new content of %d objects, want that of %d", round, len(changed), n)
			}
		}
	}
}

// TestSameContent checks that an entry has the content of the entry from which the store has
// moved it, and of an equal one of another store, however the two are stored.
func TestSameContent(t *testing.T) {
	t.Parallel()
	entries := func(s *store.Store) []store.Entry { return slices.Collect(s.Snapshot().All()) }
	for _, c := range stored {
		t.Run(c.name, func(t *testing.T) {
			all := c.objects()
			s, other := store.New(c.cfg), store.New(store.Config{Transform: c.cfg.Transform})
			apply(t, s, slices.Concat([]delta.Delta{begin}, c.objects(), []delta.Delta{end(len(all))})...)
			before := entries(s)
			s.AddIndex(node3) // stores each record again
			apply(t, other, slices.Concat([]delta.Delta{begin}, c.objects()[:min(5, len(all))], []delta.Delta{end(5)})...)
			after, elsewhere := entries(s), map[wire.Key]store.Entry{}
			for _, e := range entries(other) {
				elsewhere[e.Key()] = e
			}
			for i, e := range after {
				if !e.SameContent(before[i]) || !before[i].SameContent(e) {
					t.Fatalf("%v: a moved entry has other content", e.Key())
				}
				if o, ok := elsewhere[e.Key()]; ok && (!e.SameContent(o) || !o.SameContent(e)) {
					t.Fatalf("%v: the entry of another store has other content", e.Key())
				}
				if e.SameContent(after[(i+1)%len(after)]) || e.SameContent(store.Entry{}) {
					t.Fatalf("%v has the content of another object", e.Key())
				}
			}
		})
	}
}

func node3(dst []string, rec *wire.Record, _ any) []string { return append(dst, rec.Name[:3]) }

// TestRelistAllocations checks that a list of unchanged objects allocates nodes of the tree,
// and nothing for each object.
func TestRelistAllocations(t *testing.T) {
	for _, c := range stored[1:3] {
		s := store.New(c.cfg)
		all := c.objects()
		list := slices.Concat([]delta.Delta{begin}, all, []delta.Delta{end(len(all))})
		relist := func() {
			if err := s.Apply(t.Context(), list); err != nil {
				t.Fatal(err)
			}
		}
		relist()
		perList := testing.AllocsPerRun(5, relist)
		if most := 0.45 * float64(len(all)); perList > most { // more with the race detector
			t.Errorf("%s: got %.0f allocations for %d objects, want at most %.0f", c.name, perList, len(all), most)
		}
	}
}

// BenchmarkRelist lists unchanged objects.
func BenchmarkRelist(b *testing.B) {
	for _, c := range stored[1:3] {
		b.Run(c.name, func(b *testing.B) {
			s := store.New(c.cfg)
			all := c.objects()
			list := slices.Concat([]delta.Delta{begin}, all, []delta.Delta{end(len(all))})
			size := 0
			for i := range all {
				size += len(all[i].Record.Body)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Apply(b.Context(), list); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(all)), "ns/object")
		})
	}
}
