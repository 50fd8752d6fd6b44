package store

import (
	"iter"

	"github.com/tidwall/btree"

	"github.com/vedette-io/vedette/wire"
)

// tree holds records by namespace and name. Copying it is O(1): the copies
// share nodes until one of them writes.
type tree = btree.BTreeG[*wire.Record]

func newTree() *tree {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

func less(a, b *wire.Record) bool {
	if a.Namespace != b.Namespace {
		return a.Namespace < b.Namespace
	}
	return a.Name < b.Name
}

// Snapshot is what the store held at one instant. It is immutable and safe for
// any number of goroutines. The bodies of records must not be written to.
type Snapshot struct {
	tree    *tree
	version wire.Version
	synced  bool
	bytes   int64
}

// Get returns the object with a key, and whether there is one.
func (s *Snapshot) Get(key wire.Key) (wire.Record, bool) {
	rec, ok := s.tree.Get(&wire.Record{Key: key})
	if !ok {
		return wire.Record{}, false
	}
	return *rec, true
}

// All returns all objects, ordered by namespace and name.
func (s *Snapshot) All() iter.Seq[wire.Record] {
	return func(yield func(wire.Record) bool) {
		s.tree.Scan(func(rec *wire.Record) bool { return yield(*rec) })
	}
}

// Namespace returns the objects of one namespace, ordered by name. Its cost
// depends on how many there are, not on how many others the store has.
func (s *Snapshot) Namespace(name string) iter.Seq[wire.Record] {
	return func(yield func(wire.Record) bool) {
		from := &wire.Record{Key: wire.Key{Namespace: name}}
		s.tree.Ascend(from, func(rec *wire.Record) bool {
			return rec.Namespace == name && yield(*rec)
		})
	}
}

// Len returns the number of objects.
func (s *Snapshot) Len() int { return s.tree.Len() }

// Bytes returns the size of all bodies together.
func (s *Snapshot) Bytes() int64 { return s.bytes }

// Version returns the version that the snapshot shows: that of the last event,
// bookmark or list that went into it.
func (s *Snapshot) Version() wire.Version { return s.version }

// Synced reports whether a first list has been applied.
func (s *Snapshot) Synced() bool { return s.synced }
