package store

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Store holds the objects of one type. Create it with New.
type Store struct {
	cfg     Config
	group   *Group
	slot    int
	current atomic.Pointer[Snapshot]
	chain   chain
	waiters waiters
	synced  chan struct{}
	wrote   atomic.Int64 // time of the last write, as time.Since(epoch)

	mu         sync.Mutex // held by writers; protects the fields below
	arena      arena
	live       table
	scopes     map[delta.Scope]*scope
	staging    int // number of scopes with an arriving list
	extracts   []Extract
	values     [][]string // scratch: the results of extracts
	changes    []Change
	searchKey  searchKey       // for the writer only
	moved      bool            // entries were moved without a change
	fellBehind []*Subscription // subscribers that fell behind with the last change
	stats      Stats
	panics     panics // of the functions in cfg and in extracts
}

// New returns an empty store.
func New(cfg Config) *Store {
	if cfg.Backlog <= 0 {
		cfg.Backlog = DefaultBacklog
	}
	if cfg.Group == nil {
		cfg.Group = new(Group)
	}
	s := &Store{
		cfg: cfg, group: cfg.Group,
		live:   table{objects: newTree()},
		scopes: map[delta.Scope]*scope{},
		synced: make(chan struct{}),
		panics: panics{policy: cfg.Panics},
	}
	first := &Snapshot{store: s, table: s.live.copy()}
	s.current.Store(first)
	s.slot = s.group.join(first)
	s.chain.init(first, cfg.Backlog)
	return s
}

// Snapshot returns the current state of the store.
func (s *Store) Snapshot() *Snapshot { return s.current.Load() }

// Synced returns a channel that is closed once a first list of every scope has
// been applied.
func (s *Store) Synced() <-chan struct{} { return s.synced }

// Stats returns the counters. It waits for a batch that is being applied.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stats
	s.chain.mu.Lock()
	st.FellBehind, st.Folded, st.Unreported = s.chain.lag.Episodes, s.chain.lag.Folded, s.chain.lag.Unreported
	s.chain.mu.Unlock()
	st.Objects, st.Decoded = s.live.objects.Len(), s.live.decoded
	st.RawBytes, st.HeldBytes = s.live.raw, int64(s.arena.size)
	return st
}

// Apply applies a batch. It publishes one snapshot for the whole batch, or one before and
// one after each list that the batch completes. It keeps no memory of the batch. Only one
// goroutine may call it.
//
// Errors: the cause of ctx, if ctx ends while Apply waits for a subscriber. In this case
// a part of the batch has been applied, and the store must not be written to again. A
// *PanicError if Config.Panics is StopOnPanic and a function panicked.
func (s *Store) Apply(ctx context.Context, batch delta.Batch) error {
	for len(batch) > 0 {
		if err := s.chain.waitForRoom(ctx); err != nil {
			return err
		}
		n, fell, err := s.applySegment(batch)
		s.chain.notify(fell)
		if err != nil {
			return err
		}
		batch = batch[n:]
	}
	return nil
}

// applySegment applies deltas up to the end of a list and publishes the result. It returns
// the number of deltas, the subscribers that fell behind, and the panic that ends Apply.
func (s *Store) applySegment(batch delta.Batch) (n int, fell []*Subscription, err error) {
	s.wrote.Store(int64(time.Since(epoch)))
	s.mu.Lock()
	defer s.mu.Unlock()
	n = s.applyDeltas(batch)
	s.compact(compactPerChange * (len(s.changes) + 1))
	s.publish()
	fell, s.fellBehind = s.fellBehind, nil
	return n, fell, s.panics.fatal
}

// epoch is the zero point of monotonic times in this package.
var epoch = time.Now()

// recentlyWritten reports whether the store was written to in the last 50 ms, so that the
// writer may still be active.
func (s *Store) recentlyWritten() bool {
	return int64(time.Since(epoch))-s.wrote.Load() < int64(50*time.Millisecond)
}

// applyDeltas applies deltas. It stops before and after the end of a list, because the
// list becomes visible separately from the changes before it.
func (s *Store) applyDeltas(batch delta.Batch) int {
	for i := range batch {
		d := &batch[i]
		if d.Kind == delta.End && len(s.changes) > 0 {
			return i
		}
		sc := s.scope(d.Scope)
		sc.order = max(sc.order, d.Order)
		switch {
		case d.Kind == delta.Begin:
			s.abandon(sc)
			sc.staged = newTree()
			s.staging++
		case d.Kind == delta.End && sc.staged != nil:
			s.replace(sc, d)
			return i + 1
		case d.Kind == delta.End: // an End without a Begin replaces nothing
		case d.Kind == delta.Leave:
			s.leave(sc)
		case d.Kind == delta.Bookmark:
			sc.advance(d.Version)
		case sc.staged != nil:
			s.stage(sc, d)
		default:
			s.applyEvent(sc, d)
			sc.advance(d.Version)
			s.trainIfDue(false)
		}
	}
	return len(batch)
}

// applyEvent applies one event of a watch.
func (s *Store) applyEvent(sc *scope, d *delta.Delta) {
	rec := &d.Record
	old, had := s.find(rec.Key)
	same := had && old.sameObject(rec)
	if sc.stale(d, old, had) {
		s.stats.Stale++
		return
	}
	if d.Kind == delta.Delete {
		switch {
		case !had:
			s.stats.Stale++
		case same && d.Err == nil:
			s.remove(old)
			s.changes = append(s.changes, Change{Kind: Deleted, Old: old, New: s.lastState(rec), Seen: d.Seen})
		default:
			// Either the last state is unusable, or the delta deletes a later object
			// with the same name: then the known object was deleted earlier.
			s.remove(old)
			s.changes = append(s.changes, Change{Kind: Deleted, Old: old, Seen: d.Seen})
		}
		return
	}
	var e Entry
	kept := false
	if d.Kind != delta.Keep {
		e, kept = s.makeEntry(rec)
	}
	if kept && same && sc.repeats(old, e) {
		s.arena.free(e)
		s.stats.Unchanged++
		return
	}
	if had && !same && (kept || !remains(old, rec)) {
		s.remove(old)
		s.changes = append(s.changes, Change{Kind: Deleted, Old: old, Seen: d.Seen})
	}
	if !kept {
		return
	}
	s.put(e)
	if same {
		s.changes = append(s.changes, Change{Kind: Updated, Old: old, New: e, Seen: d.Seen})
	} else {
		s.changes = append(s.changes, Change{Kind: Added, New: e, Seen: d.Seen})
	}
}

// remains reports whether the store keeps the last known state of an object that arrives
// in an unusable state. It does, unless the UID shows that it is another object.
func remains(old Entry, rec *wire.Record) bool { return rec.UID == "" || old.sameObject(rec) }

// newer reports whether rec is a later revision than old. Versions are ordered across all
// objects of a type, so this also holds for different objects with the same name. A
// record without a version is always newer.
func newer(old Entry, rec *wire.Record) bool {
	v := old.Version()
	return rec.Version > v || rec.Version == 0 || v == 0
}

func (s *Store) find(key wire.Key) (Entry, bool) {
	return s.live.objects.Find(s.searchKey.set(key, -1, ""))
}

// put stores an entry; the next snapshot shows it.
func (s *Store) put(e Entry) {
	if old, had := s.live.put(e); had && old != e {
		s.discard(old)
	}
}

func (s *Store) remove(e Entry) {
	s.live.remove(e)
	s.discard(e)
}

// makeEntry returns a new entry for a record. It returns false if the transform refuses
// the record.
func (s *Store) makeEntry(rec *wire.Record) (Entry, bool) {
	rec, ok := s.transform(rec)
	if !ok {
		return Entry{}, false
	}
	if !s.keepsObject(rec) {
		return s.arena.add(rec, s.extract(rec, nil)), true
	}
	object, err := s.decode(rec)
	if err != nil && s.cfg.KeepObject != nil {
		return s.arena.add(rec, s.extract(rec, nil)), true
	}
	e := s.arena.storeAlone(rec, s.extract(rec, object), !s.cfg.dropsBodies())
	e.slab.hold(object, err)
	return e, true
}

// decode calls Config.Decode.
func (s *Store) decode(rec *wire.Record) (object any, err error) {
	err = s.panics.catch(rec.Key, func() (err error) { object, err = s.cfg.Decode(*rec); return err })
	return object, err
}

// report passes a fault of a record to Config.Report.
func (s *Store) report(err error) {
	if s.cfg.Report != nil {
		s.cfg.Report(err)
	}
}

// keepsObject reports whether the store keeps the object of a record.
func (s *Store) keepsObject(rec *wire.Record) bool {
	if s.cfg.Decode == nil || s.cfg.KeepObject == nil {
		return s.cfg.Decode != nil
	}
	return s.cfg.KeepObject(len(rec.Body), s.arena.packs(len(rec.Body)))
}

// lastState returns an entry for the state that a deletion carries. No snapshot contains
// it. It returns no entry for a state that cannot be transformed or decoded, because the
// previous state is known.
func (s *Store) lastState(rec *wire.Record) Entry {
	rec, ok := s.transform(rec)
	if !ok {
		return Entry{}
	}
	if !s.keepsObject(rec) {
		return s.arena.storeAlone(rec, nil, true)
	}
	object, err := s.decode(rec)
	if err != nil {
		return Entry{}
	}
	e := s.arena.storeAlone(rec, nil, !s.cfg.dropsBodies())
	e.slab.object = object
	return e
}

// transform returns the record as converted by Config.Transform, and false if it was
// refused.
func (s *Store) transform(rec *wire.Record) (*wire.Record, bool) {
	if s.cfg.Transform == nil {
		return rec, true
	}
	var out wire.Record
	err := s.panics.catch(rec.Key, func() (err error) { out, err = s.cfg.Transform(*rec); return err })
	if err != nil {
		s.stats.Refused++
		s.stats.LastRefused = err
		s.report(err)
		return nil, false
	}
	kept := *rec
	kept.Body, kept.Encoding = out.Body, out.Encoding
	return &kept, true
}

// publish makes the changes since its last call visible: first the snapshot, then the
// changes.
func (s *Store) publish() {
	shown := s.current.Load()
	next := &Snapshot{store: s, table: shown.table, synced: shown.synced || s.complete()}
	if len(s.changes) > 0 || s.moved || next.synced != shown.synced {
		next.table = s.live.copy()
	}
	next.scopes, next.held = s.scopeStates(shown.scopes), int64(s.arena.size)
	if len(s.changes) == 0 && !s.moved && next.synced == shown.synced && sameScopes(next.scopes, shown.scopes) {
		return
	}
	// Publish the view first: a reader that has seen the new snapshot, or waited for it,
	// then finds it in every later view.
	s.group.set(s.slot, next)
	s.current.Store(next)
	s.fellBehind = append(s.fellBehind, s.chain.append(next, s.changes)...)
	s.changes, s.moved = nil, false // the chain owns the changes now
	if next.synced && !shown.synced {
		close(s.synced)
	}
	s.waiters.wake(next)
}
