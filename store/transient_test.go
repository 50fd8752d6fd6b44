package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// versionsIn returns the objects of a snapshot with their versions, from the tree and from an
// index.
func versionsIn(s *store.Snapshot, index *store.Index) map[string]wire.Version {
	all := map[string]wire.Version{}
	for e := range s.All() {
		all[e.Key().Name] = e.Version()
	}
	for value := range index.Values(s) {
		for e := range index.Get(s, value) {
			all[value+" "+e.Key().Name] = e.Version()
		}
	}
	return all
}

// TestHeldSnapshots applies single events, and holds the snapshots of all kinds of readers.
// Nothing that follows changes any of them.
func TestHeldSnapshots(t *testing.T) {
	s := store.New(store.Config{Backlog: 8})
	index := s.AddIndex(digits)
	apply(t, s, begin, end(1))
	v := 1
	latest, behind := s.Subscribe(store.Latest), s.Subscribe(store.EveryChange)
	defer latest.Close()
	defer behind.Close()
	caughtUp := func(sub *store.Subscription) *store.Snapshot {
		_, now, err := sub.CatchUp()
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	ways := map[string]func() *store.Snapshot{
		"Snapshot": s.Snapshot,
		"View":     func() *store.Snapshot { return s.In(s.View()) },
		"In":       func() *store.Snapshot { return s.In(new(store.Group).View()) },
		"Subscribe": func() *store.Snapshot {
			sub := s.Subscribe(store.EveryChange)
			defer sub.Close()
			return sub.Snapshot()
		},
		"CatchUp":        func() *store.Snapshot { return caughtUp(behind) },
		"CatchUp latest": func() *store.Snapshot { return caughtUp(latest) },
		"WaitUntil": func() (got *store.Snapshot) {
			called, ready := make(chan struct{}), false
			var work sync.WaitGroup
			work.Go(func() {
				_ = s.WaitUntil(t.Context(), func(now *store.Snapshot) bool {
					if got = now; !ready {
						ready = true
						close(called)
						return false
					}
					return true // on the goroutine of the writer
				})
			})
			<-called
			v++
			apply(t, s, upsert("await", "await", v))
			work.Wait()
			return got
		},
	}
	type held struct {
		snapshot *store.Snapshot
		was      map[string]wire.Version
	}
	holds := map[string][]held{}
	random := testinput.Rand(t)
	for v = 2; v < 3000; v++ {
		name := fmt.Sprintf("a%03d", random.IntN(300))
		if random.IntN(4) == 0 {
			apply(t, s, remove(name, name, v))
		} else {
			apply(t, s, upsert(name, name, v))
		}
		if random.IntN(3) > 0 {
			continue
		}
		for way, get := range ways {
			if random.IntN(len(ways)) == 0 {
				now := get()
				holds[way] = append(holds[way], held{now, versionsIn(now, index)})
			}
		}
	}
	for way := range ways {
		if len(holds[way]) == 0 {
			t.Errorf("%s: not tried", way)
		}
		for _, h := range holds[way] {
			if is := versionsIn(h.snapshot, index); !maps.Equal(is, h.was) {
				t.Errorf("%s: a snapshot had %d entries and has %d, or other versions", way, len(h.was), len(is))
				break
			}
		}
	}
}

// TestFoldingKeepsItsBase: two subscribers that fell behind together share a folding. When
// one of them has caught up, the other still gets every change from the state that it saw.
func TestFoldingKeepsItsBase(t *testing.T) {
	s := store.New(store.Config{Backlog: 2})
	apply(t, s, begin, upsert("aone", "1", 1), end(1))
	first, second := s.Subscribe(store.EveryChange), s.Subscribe(store.EveryChange)
	defer first.Close()
	defer second.Close()
	v := 1
	change := func(n int) {
		for range n {
			v++
			apply(t, s, upsert("aone", "1", v))
		}
	}
	change(5)
	for taken := 0; taken < 5; { // without a snapshot
		changes, err := first.Changes()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			taken += 1 + int(c.Folded)
		}
	}
	change(2)
	seen := wire.Version(1)
	for seen != wire.Version(v) {
		changes, err := second.Changes()
		if err != nil || len(changes) == 0 {
			t.Fatalf("got %d changes and error %v at version %d of %d", len(changes), err, seen, v)
		}
		for _, c := range changes {
			if c.Old.Version() != seen {
				t.Errorf("got a change from version %d, want %d", c.Old.Version(), seen)
			}
			seen = c.New.Version()
		}
	}
}

// TestReadersBesideSingleEvents: readers see whole snapshots, each once they have seen an
// older one, while the writer applies one event at a time. It is for the race detector.
func TestReadersBesideSingleEvents(t *testing.T) {
	var g store.Group
	s := store.New(store.Config{Group: &g, Backlog: 4})
	index := s.AddIndex(digits)
	apply(t, s, begin, end(1))
	ctx, cancel := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	read := func(get func() *store.Snapshot) {
		readers.Go(func() {
			last := wire.Version(0)
			for ctx.Err() == nil {
				now := get()
				highest, listed := now.Version(), 0
				for e := range now.All() {
					listed++
					if e.Version() > highest {
						t.Errorf("an object has version %d in a snapshot of %d", e.Version(), highest)
					}
				}
				indexed := index.Len(now, "even") + index.Len(now, "odd")
				if highest < last || listed != now.Len() || indexed != listed {
					t.Errorf("got version %d after %d, %d objects, %d by the index, Len is %d", highest, last, listed, indexed, now.Len())
					return
				}
				last = highest
			}
		})
	}
	read(s.Snapshot)
	read(func() *store.Snapshot { return s.In(g.View()) })
	for _, mode := range []store.Mode{store.EveryChange, store.Latest} {
		sub := s.Subscribe(mode)
		defer sub.Close()
		read(func() *store.Snapshot {
			_, now, err := sub.CatchUp()
			if err != nil {
				t.Error(err)
			}
			return now
		})
	}
	for v := 2; v < 4000; v++ {
		name := fmt.Sprintf("a%03d", v*7919%400)
		if v%5 == 0 {
			apply(t, s, remove(name, name, v))
		} else {
			apply(t, s, upsert(name, name, v))
		}
	}
	cancel()
	readers.Wait()
}

// TestFollowersWithoutSnapshots: subscribers that never keep a snapshot, and fall behind often,
// get changes that lead from one state to the next, and to the state of the store.
func TestFollowersWithoutSnapshots(t *testing.T) {
	for _, mode := range []store.Mode{store.EveryChange, store.Latest} {
		t.Run(mode.String(), func(t *testing.T) {
			s := store.New(store.Config{Backlog: 4})
			apply(t, s, begin, end(1))
			sub := s.Subscribe(mode)
			defer sub.Close()
			seen := map[string]wire.Version{}
			follow := func() {
				changes, err := sub.Changes()
				if err != nil {
					t.Error(err)
				}
				for _, c := range changes {
					name := c.Last().Key().Name
					if was := seen[name]; !c.CameAndWent() && (c.Kind == store.Added) != (was == 0) || c.Kind == store.Updated && c.Old.Version() != was {
						t.Errorf("%v of %s from version %d, want %d", c.Kind, name, c.Old.Version(), was)
					}
					if delete(seen, name); c.Kind != store.Deleted {
						seen[name] = c.New.Version()
					}
				}
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				for v := 2; v < 8_000; v++ {
					name := fmt.Sprintf("a%02d", v*7919%40)
					if v%5 == 0 {
						apply(t, s, remove(name, name, v))
					} else {
						apply(t, s, upsert(name, name, v))
					}
				}
			}()
			for running := true; running; {
				select {
				case <-done:
					running = false
				default:
				}
				follow()
			}
			for range 10 { // the parts of a backlog
				follow()
			}
			want := map[string]wire.Version{}
			for e := range s.Snapshot().All() {
				want[e.Key().Name] = e.Version()
			}
			if !maps.Equal(seen, want) {
				t.Errorf("got %v, want %v", seen, want)
			}
		})
	}
}

// TestLeftBacklog: a subscriber of Latest that left the chain gets the changes before and after
// that, although the nodes of the store have changed in place since.
func TestLeftBacklog(t *testing.T) {
	s := store.New(store.Config{Backlog: 2})
	apply(t, s, begin, upsert("aone", "1", 1), upsert("atwo", "2", 1), end(1))
	sub := s.Subscribe(store.Latest)
	defer sub.Close()
	for v := 2; v < 6; v++ {
		apply(t, s, upsert("aone", "1", v)) // the third change leaves the chain
	}
	apply(t, s, remove("atwo", "2", 7))
	for v := 8; v < 12; v++ {
		apply(t, s, upsert("aone", "1", v))
	}
	changes, err := sub.Changes()
	if err != nil || len(changes) != 2 {
		t.Fatalf("got %v, %v", changes, err)
	}
	if c := changes[0]; c.Kind != store.Deleted || c.Old.Version() != 1 {
		t.Errorf("got %v from %d, want the deletion of two", c.Kind, c.Old.Version())
	}
	if c := changes[1]; c.Kind != store.Updated || c.Old.Version() != 1 || c.New.Version() != 11 {
		t.Errorf("got %v from %d to %d, want an update from 1 to 11", c.Kind, c.Old.Version(), c.New.Version())
	}
}

// TestFunctionsThatRead: functions of the user may read the store that calls them, also
// while it moves records, packs them with another dictionary, and tells of deletions.
func TestFunctionsThatRead(t *testing.T) {
	var s *store.Store
	var applied string // a function that reads for the first record of a batch takes the snapshot before it changes
	reads := map[delta.Kind]int{}
	kind := delta.Upsert
	read := func(rec *wire.Record) {
		if s == nil || rec.Name == applied {
			return
		}
		reads[kind]++
		s.Snapshot().Len()
		s.In(s.View()).Len()
	}
	s = store.New(store.Config{Transform: func(rec wire.Record) (wire.Record, error) { read(&rec); return rec, nil }})
	s.AddIndex(func(dst []string, rec *wire.Record, _ any) []string {
		read(rec)
		return append(dst, rec.Name[len(rec.Name)-1:])
	})
	var names []string // replaces most of a body, so that the store renews its dictionary
	for f := range 40 {
		name := fmt.Sprintf("field-%02d", f)
		names = append(names, name, fmt.Sprintf("%x", sha256.Sum256([]byte(name))))
	}
	others := renamed(strings.NewReplacer(names...))
	more := make(chan bool) // true after each write, false at the end
	write := func(batch ...delta.Delta) {
		apply(t, s, batch...)
		more <- true
	}
	go func() {
		version := 0
		for round, fields := range [][]string{fields, others, others} {
			for i := range 6000 {
				if round > 0 && i%5 == 0 {
					continue // it is moved when its neighbors have been replaced
				}
				version++
				d := pod(i, version, bodyWith(fields, i, version))
				applied = d.Record.Name
				write(d)
			}
		}
		for i := range 100 {
			version += 2
			first := pod(i, version-1, body(i, 0))
			applied = first.Record.Name
			write(first, pod(i+1, version, body(i+1, 0)))
		}
		for i := range 1000 {
			version++
			d := pod(i, version, body(i, version))
			d.Kind, kind, applied = delta.Delete, delta.Delete, ""
			write(d)
		}
		more <- false
	}()
	for patience.Receive(t, "a write to a store whose functions read it", more) {
	}
	if n := s.Stats().Dictionaries; n < 2 || reads[delta.Upsert] < 300 || reads[delta.Delete] < 1000 {
		t.Errorf("got %d dictionaries and reads %v, so the test proves little", n, reads)
	}
}
