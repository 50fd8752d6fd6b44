package store

import (
	"iter"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Snapshot is the state of a store at one instant. It is immutable and safe for any
// number of goroutines.
type Snapshot struct {
	origin    *origin
	table     table
	transient *transient // state of the nodes of the table; snapshots with the same table share it
	scopes    []scopeState
	synced    bool
	held      int64
}

// origin is what all snapshots of one store share. It also identifies the store.
type origin struct {
	dropsBodies bool         // the store keeps objects without bodies
	wrote       atomic.Int64 // time of the last write, as time.Since(epoch)
	changing    sync.Mutex   // held by the writer while no snapshot can be taken
}

// epoch is the zero point of monotonic times in this package.
var epoch = time.Now()

// recentlyWritten reports whether the store was written to in the last 50 ms, so that the
// writer may still be active.
func (o *origin) recentlyWritten() bool {
	return int64(time.Since(epoch))-o.wrote.Load() < int64(50*time.Millisecond)
}

// waitForWriter waits while the writer of the store changes nodes in place.
func (o *origin) waitForWriter() {
	o.changing.Lock()
	defer o.changing.Unlock()
}

// scopeState is the progress of a scope.
type scopeState struct {
	scope   delta.Scope
	version wire.Version
	listed  bool
}

// Get returns the object with a key. ok is false if there is no such object.
func (s *Snapshot) Get(key wire.Key) (found Entry, ok bool) {
	withSearchKey(key, -1, "", func(p Entry) { found, ok = s.table.objects.Get(p) })
	return found, ok
}

// All returns all objects, ordered by cluster, namespace and name.
func (s *Snapshot) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) { s.table.objects.Scan(s.yielding(yield)) }
}

// Namespace returns the objects of one namespace, ordered by name. Its cost depends on
// the number of these objects, not on the size of the store.
func (s *Snapshot) Namespace(name string) iter.Seq[Entry] {
	return s.Within(delta.Scope{Namespace: name})
}

// Within returns the objects of a scope, that is, of a cluster or one of its namespaces,
// ordered by key.
func (s *Snapshot) Within(scope delta.Scope) iter.Seq[Entry] {
	return func(yield func(Entry) bool) { s.table.within(scope)(s.yielding(yield)) }
}

// yieldInterval is the number of entries after which a reader checks for a recent write.
const yieldInterval = 16

// yielding lets the writer run first if there are more goroutines than processors.
// Readers hold no lock that the writer needs, but each could use its full time slice of
// 10 ms before the scheduler runs the writer.
func (s *Snapshot) yielding(yield func(Entry) bool) func(Entry) bool {
	n := 0
	return func(e Entry) bool {
		if n++; n%yieldInterval == 0 && s.origin.recentlyWritten() {
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

// Bytes returns the total size of all unpacked bodies.
func (s *Snapshot) Bytes() int64 { return s.table.raw }

// HeldBytes returns the size of the memory for packed records, including dead ones, at
// the time of the snapshot.
func (s *Snapshot) HeldBytes() int64 { return s.held }

// Version returns the version of the snapshot: the version of the last event, bookmark or
// list that was applied before it. With several scopes it is the lowest of their
// versions, which is meaningful only if they belong to one cluster.
func (s *Snapshot) Version() wire.Version {
	lowest := wire.Version(0)
	for i, r := range s.scopes {
		if i == 0 || r.version < lowest {
			lowest = r.version
		}
	}
	return lowest
}

// Reached returns the version of a scope in the snapshot. It is zero if the scope has not
// been listed or is not followed.
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
