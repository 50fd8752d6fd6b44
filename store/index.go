package store

import (
	"iter"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/wire"
)

// Index finds objects by a value. Any goroutine may use it.
type Index struct {
	store  *Store
	column int
}

// AddIndex adds an index over current and future objects. It may be called at any time
// and from any goroutine. It waits for a batch that is being applied, and then reads
// all objects once. For a snapshot that was taken before, each lookup in the index
// reads all objects.
func (s *Store) AddIndex(extract Extract) *Index {
	s.mu.Lock()
	defer s.mu.Unlock()
	column := len(s.extracts)
	s.extracts = append(s.extracts, extract)
	s.arena.columns = len(s.extracts)
	s.live.indexes = append(s.live.indexes, newPostings(column))
	s.arena.seal()
	for _, e := range slices.Collect(s.live.objects.Copy().Scan) {
		s.put(s.rewrite(e))
	}
	s.moved = true
	s.publish()
	return &Index{store: s, column: column}
}

// scanned computes the values of an object, for a snapshot without postings.
func (x *Index) scanned(e Entry) []string {
	rec := e.Record()
	object, _ := e.Object()
	s := x.store
	s.mu.Lock() // serializes the call with the writer
	defer s.mu.Unlock()
	s.extractOne(x.column, &rec, object)
	values := slices.Clone(s.values[x.column])
	slices.Sort(values)
	return slices.Compact(values)
}

// postingsIn returns the postings of the index in a snapshot, or nil if the snapshot does
// not have the index.
func (x *Index) postingsIn(s *Snapshot) *postings {
	if s == nil || s.origin != x.store.origin || x.column >= len(s.table.indexes) {
		return nil
	}
	return s.table.indexes[x.column]
}

// In reports whether a snapshot has the index: it must be of the same store and not
// older than the index. In any other snapshot, each lookup reads all objects.
func (x *Index) In(s *Snapshot) bool { return x.postingsIn(s) != nil }

// Get returns the objects that have a value, ordered by key. If the snapshot has the
// index, the cost depends on the number of these objects, not on the size of the store.
func (x *Index) Get(s *Snapshot, value string) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		index := x.postingsIn(s)
		if index == nil && s != nil {
			for e := range s.All() {
				if slices.Contains(x.scanned(e), value) && !yield(e) {
					return
				}
			}
		}
		if index == nil {
			return
		}
		visit := s.yielding(yield)
		withSearchKey(wire.Key{}, x.column, value, func(probe Entry) {
			index.Ascend(posting{slab: probe.slab}, func(p posting) bool {
				return string(p.entry().value(x.column, int(p.nth))) == value && visit(p.entry())
			})
		})
	}
}

// Len returns the number of objects that have a value. Its cost is proportional to that
// number.
func (x *Index) Len(s *Snapshot, value string) int {
	n := 0
	for range x.Get(s, value) {
		n++
	}
	return n
}

// Values returns all values in order, each with the number of objects that have it.
func (x *Index) Values(s *Snapshot) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		index := x.postingsIn(s)
		if index == nil && s != nil {
			counts := map[string]int{}
			for e := range s.All() {
				for _, v := range x.scanned(e) {
					counts[v]++
				}
			}
			for _, v := range slices.Sorted(maps.Keys(counts)) {
				if !yield(v, counts[v]) {
					return
				}
			}
		}
		if index == nil {
			return
		}
		last, n, more := "", 0, true
		index.Scan(func(p posting) bool {
			v := p.entry().value(x.column, int(p.nth))
			if n > 0 && string(v) != last {
				more = yield(last, n)
				n = 0
			}
			if n == 0 {
				last = string(v)
			}
			n++
			return more
		})
		if more && n > 0 {
			yield(last, n)
		}
	}
}
