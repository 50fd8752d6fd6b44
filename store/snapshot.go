package store

import (
	"iter"
	"runtime"
	"slices"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Snapshot is what the store held at one instant. It is immutable and safe for
// any number of goroutines.
type Snapshot struct {
	store  *Store
	table  table
	scopes []scopeState
	synced bool
	held   int64
}

// scopeState says how far a scope has come.
type scopeState struct {
	scope   delta.Scope
	version wire.Version
	listed  bool
	order   delta.Order
}

// byArrival reports whether there is a scope whose versions do not distinguish
// revisions.
func (s *Snapshot) byArrival() bool {
	return slices.ContainsFunc(s.scopes, func(r scopeState) bool { return r.order == delta.ByArrival })
}

// Get returns the object with a key, and whether there is one.
func (s *Snapshot) Get(key wire.Key) (found Entry, ok bool) {
	withSearchKey(key, -1, "", func(p Entry) { found, ok = s.table.objects.Get(p) })
	return found, ok
}

// All returns all objects, ordered by cluster, namespace and name.
func (s *Snapshot) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) { s.table.objects.Scan(s.yielding(yield)) }
}

// Namespace returns the objects of one namespace, ordered by name. Its cost
// depends on how many there are, not on how many others the store has.
func (s *Snapshot) Namespace(name string) iter.Seq[Entry] {
	return s.Within(delta.Scope{Namespace: name})
}

// Within returns the objects of a scope, ordered by key: those of one cluster,
// or of one namespace of it.
func (s *Snapshot) Within(scope delta.Scope) iter.Seq[Entry] {
	return func(yield func(Entry) bool) { s.table.within(scope)(s.yielding(yield)) }
}

// yieldInterval is after how many entries a reader looks whether somebody writes.
const yieldInterval = 16

// yielding lets the writer go first where there are more goroutines than
// processors: readers hold no lock that it could wait for, but each would take
// a full slice of time, 10 ms, before the writer has its turn again.
func (s *Snapshot) yielding(yield func(Entry) bool) func(Entry) bool {
	n := 0
	return func(e Entry) bool {
		if n++; n%yieldInterval == 0 && s.store.recentlyWritten() {
			runtime.Gosched()
		}
		return yield(e)
	}
}

func (t *table) within(scope delta.Scope) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		withSearchKey(wire.Key{Cluster: scope.Cluster, Namespace: scope.Namespace}, -1, "", func(p Entry) {
			t.objects.Ascend(p, func(e Entry) bool {
				h := e.header()
				if string(h.cluster) != scope.Cluster || scope.Namespace != "" && string(h.namespace) != scope.Namespace {
					return false
				}
				return yield(e)
			})
		})
	}
}

// Len returns the number of objects.
func (s *Snapshot) Len() int { return s.table.objects.Len() }

// Bytes returns the size of all bodies together, unpacked.
func (s *Snapshot) Bytes() int64 { return s.table.raw }

// HeldBytes returns the size of the memory that held all objects packed, dead revisions
// included, when the snapshot was taken.
func (s *Snapshot) HeldBytes() int64 { return s.held }

// Version returns the version that the snapshot shows: that of the last event,
// bookmark or list that went into it. Where there are several scopes it is the
// lowest of theirs, which means something if they are of one cluster.
func (s *Snapshot) Version() wire.Version {
	lowest := wire.Version(0)
	for i, r := range s.scopes {
		if i == 0 || r.version < lowest {
			lowest = r.version
		}
	}
	return lowest
}

// Reached returns the version that the snapshot shows of a scope; zero if it
// has not been listed or is not followed.
func (s *Snapshot) Reached(scope delta.Scope) wire.Version {
	for _, r := range s.scopes {
		if r.scope == scope {
			return r.version
		}
	}
	return 0
}

// Follows reports whether a scope is followed. The scope may not have been listed yet.
func (s *Snapshot) Follows(scope delta.Scope) bool {
	return slices.ContainsFunc(s.scopes, func(r scopeState) bool { return r.scope == scope })
}

// Synced reports whether a first list of every scope has been applied.
func (s *Snapshot) Synced() bool { return s.synced }
