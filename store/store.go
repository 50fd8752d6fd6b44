package store

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Config is the configuration of a Store. The zero value works.
type Config struct {
	// Backlog is how many changes may wait for the slowest subscriber before
	// Apply waits; default 16,384. A larger one bridges longer pauses of a
	// subscriber, and costs the old states of that many objects.
	Backlog int
}

// DefaultBacklog is the default of Config.Backlog.
const DefaultBacklog = 16384

// Stats counts what the store did, since it was made.
type Stats struct {
	// Stale counts deltas that were dropped as not newer than the store.
	Stale uint64
	// Unchanged counts objects of later lists that the store had already.
	Unchanged uint64
}

// Store holds one collection. Create it with New.
type Store struct {
	current atomic.Pointer[Snapshot]
	feed    feed

	synced chan struct{}

	stale, unchanged atomic.Uint64

	// What follows belongs to the goroutine that calls Apply.
	live    *tree
	staged  *tree // the list that is arriving, nil if none is
	bytes   int64
	version wire.Version
	listed  bool // a first list has been applied
	changes []Change
}

// New returns an empty store.
func New(cfg Config) *Store {
	if cfg.Backlog <= 0 {
		cfg.Backlog = DefaultBacklog
	}
	s := &Store{live: newTree(), synced: make(chan struct{})}
	first := &Snapshot{tree: s.live.Copy()}
	s.current.Store(first)
	s.feed.init(first, cfg.Backlog)
	return s
}

// Snapshot returns what the store holds now.
func (s *Store) Snapshot() *Snapshot { return s.current.Load() }

// Synced returns a channel that is closed once a first list has been applied.
func (s *Store) Synced() <-chan struct{} { return s.synced }

// Stats returns the counters.
func (s *Store) Stats() Stats {
	return Stats{Stale: s.stale.Load(), Unchanged: s.unchanged.Load()}
}

// Apply applies a batch: one snapshot for all of it, or one before and one
// after each list that it completes. It keeps nothing of the batch's memory.
// One goroutine calls it.
//
// Errors: the cause of ctx, if it ends while a subscriber keeps Apply waiting;
// the store then shows what it showed before, and must not be written to again.
func (s *Store) Apply(ctx context.Context, batch delta.Batch) error {
	for i := range batch {
		d := &batch[i]
		switch {
		case d.Kind == delta.Begin:
			s.staged = newTree()
		case d.Kind == delta.End:
			if s.staged == nil {
				continue // an End without Begin replaces nothing
			}
			if err := s.publish(ctx); err != nil {
				return err
			}
			s.replace(d.Version)
			if err := s.publish(ctx); err != nil {
				return err
			}
		case d.Kind == delta.Bookmark:
			s.reach(d.Version)
		case s.staged != nil:
			s.stage(d)
		default:
			s.apply(d)
			s.reach(d.Version)
		}
	}
	return s.publish(ctx)
}

func (s *Store) reach(v wire.Version) { s.version = max(s.version, v) }

// apply applies one event of a watch.
func (s *Store) apply(d *delta.Delta) {
	old, had := s.live.Get(&d.Record)
	if had && !newer(old, &d.Record) || !had && s.passed(d.Version) {
		s.stale.Add(1)
		return
	}
	switch {
	case d.Kind == delta.Upsert && had && sameObject(old, &d.Record):
		rec := own(&d.Record)
		s.put(rec)
		s.bytes -= int64(len(old.Body))
		s.changes = append(s.changes, Change{Kind: Updated, Old: old, New: rec})
	case d.Kind == delta.Upsert:
		if had {
			s.drop(old)
			s.changes = append(s.changes, Change{Kind: Deleted, Old: old, Missed: true})
		}
		rec := own(&d.Record)
		s.put(rec)
		s.changes = append(s.changes, Change{Kind: Added, New: rec})
	case !had:
		s.stale.Add(1)
	case sameObject(old, &d.Record):
		s.drop(old)
		s.changes = append(s.changes, Change{Kind: Deleted, Old: old, New: own(&d.Record)})
	default:
		// The deletion of a namesake that came after ours: ours went before.
		s.drop(old)
		s.changes = append(s.changes, Change{Kind: Deleted, Old: old, Missed: true})
	}
}

// passed reports whether the store has seen everything up to a version. An event
// from before that of an object which is not there would bring back what was
// deleted since.
func (s *Store) passed(v wire.Version) bool { return v != 0 && v <= s.version }

func (s *Store) put(rec *wire.Record) {
	s.live.Set(rec)
	s.bytes += int64(len(rec.Body))
}

func (s *Store) drop(rec *wire.Record) {
	s.live.Delete(rec)
	s.bytes -= int64(len(rec.Body))
}

// newer reports whether rec is a later revision than old. Versions are ordered
// across all objects of a type, so this holds for namesakes too. Objects
// without a version are always taken.
func newer(old, rec *wire.Record) bool {
	return rec.Version > old.Version || rec.Version == 0 || old.Version == 0
}

// sameObject tells an object from its namesake.
func sameObject(a, b *wire.Record) bool { return a.UID == b.UID }

// own returns a record whose body is the store's own, cut to size.
func own(rec *wire.Record) *wire.Record {
	r := *rec
	r.Body = slices.Clone(rec.Body)
	return &r
}

// stage adds to the list that is arriving. What the store has already is
// shared, so a list of the same objects costs nothing.
func (s *Store) stage(d *delta.Delta) {
	if had, ok := s.staged.Get(&d.Record); ok && !newer(had, &d.Record) {
		return
	}
	if d.Kind == delta.Delete {
		s.staged.Delete(&d.Record)
		return
	}
	if had, ok := s.live.Get(&d.Record); ok && unchanged(had, &d.Record) {
		s.staged.Set(had)
		return
	}
	s.staged.Set(own(&d.Record))
}

func unchanged(a, b *wire.Record) bool {
	return a.Version == b.Version && a.Version != 0 && sameObject(a, b)
}

// replace puts the staged list in the place of what is, and works out what
// that changes.
func (s *Store) replace(version wire.Version) {
	before, after := s.live, s.staged
	s.live, s.staged, s.version = after, nil, version
	initial := !s.listed
	before.Scan(func(old *wire.Record) bool {
		if rec, ok := after.Get(old); !ok || !sameObject(rec, old) {
			s.changes = append(s.changes, Change{Kind: Deleted, Old: old, Missed: true})
		}
		return true
	})
	s.bytes = 0
	after.Scan(func(rec *wire.Record) bool {
		s.bytes += int64(len(rec.Body))
		old, had := before.Get(rec)
		switch {
		case !had || !sameObject(old, rec):
			s.changes = append(s.changes, Change{Kind: Added, New: rec, Initial: initial})
		case unchanged(old, rec):
			s.unchanged.Add(1)
		default:
			s.changes = append(s.changes, Change{Kind: Updated, Old: old, New: rec})
		}
		return true
	})
	s.listed = true
}

// publish shows what has been applied since the last time: first the snapshot,
// then the changes.
func (s *Store) publish(ctx context.Context) error {
	shown := s.current.Load()
	listed := s.listed && !shown.synced
	if len(s.changes) == 0 && s.version == shown.version && !listed {
		return nil
	}
	next := &Snapshot{tree: shown.tree, version: s.version, synced: s.listed, bytes: s.bytes}
	if len(s.changes) > 0 || listed {
		next.tree = s.live.Copy()
	}
	if err := s.feed.room(ctx); err != nil {
		return err
	}
	s.current.Store(next)
	s.feed.append(next, s.changes)
	s.changes = nil // the subscribers have it now
	if listed {
		close(s.synced)
	}
	return nil
}
