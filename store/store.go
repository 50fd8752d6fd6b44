package store

import (
	"slices"
	"sync"
	"sync/atomic"

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
	origin  *origin

	mu         sync.Mutex // held by writers; protects the fields below
	arena      arena
	live       table
	scopes     map[delta.Scope]*scope
	staging    int   // number of scopes with an arriving list
	staged     int64 // bytes of the bodies in these lists so far
	extracts   []Extract
	values     [][]string // scratch: the results of extracts
	unpacked   []byte     // scratch: a body that is compared
	changes    []Change
	searchKey  searchKey // for the writer only
	moved      bool      // entries were moved without a change
	fellBehind []*cursor // subscribers that fell behind with the last change
	stats      Stats
	single     bool   // the batch has one event
	inPlace    bool   // the writer holds origin.changing, until publish
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
		origin: &origin{dropsBodies: cfg.dropsBodies()},
		panics: panics{policy: cfg.Panics},
	}
	s.arena.sums = cfg.dropsBodies()
	first := &Snapshot{origin: s.origin}
	first.table, first.transient = s.live.share()
	s.current.Store(first)
	s.slot = s.group.join(first)
	s.chain.init(first, cfg.Backlog)
	return s
}

// Snapshot returns the current state of the store. It may wait some microseconds, while the
// store applies a single change.
func (s *Store) Snapshot() *Snapshot {
	for {
		if now := s.current.Load(); now.transient.persist() {
			return now
		}
		s.origin.waitForWriter()
	}
}

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

func (s *Store) find(key wire.Key) (Entry, bool) {
	return s.live.objects.Find(s.searchKey.set(key, -1, ""))
}

// In returns the state of the store at the instant of a view. If the view does not
// contain the store, because the store belongs to another group or is newer than the
// view, In adds the current state of all stores of this store's group. These states are
// from one instant, which is not before the instant of the view. Later calls for the same
// view return the same snapshots. Nothing can be added to the zero View: for it, In
// returns the current state.
func (s *Store) In(v View) *Snapshot {
	if s.slot < len(v.snapshots) && s.is(v.snapshots[s.slot]) {
		return v.snapshots[s.slot]
	}
	if i := slices.IndexFunc(v.snapshots, s.is); i >= 0 { // views of several groups
		return v.snapshots[i]
	}
	if v.added == nil {
		return s.Snapshot()
	}
	v.added.mu.Lock()
	defer v.added.mu.Unlock()
	if i := slices.IndexFunc(v.added.snapshots, s.is); i >= 0 {
		return v.added.snapshots[i]
	}
	all := s.group.take()
	if !slices.ContainsFunc(all, s.is) { // the store has left the group
		all = []*Snapshot{s.Snapshot()}
	}
	v.added.snapshots = append(v.added.snapshots, all...)
	return v.added.snapshots[slices.IndexFunc(v.added.snapshots, s.is)]
}

func (s *Store) is(of *Snapshot) bool { return of != nil && of.origin == s.origin }

// Leave removes the store from its group: new views no longer contain its objects.
// Snapshot still returns the last state. Call Leave only after the last call of Apply.
func (s *Store) Leave() { s.group.set(s.slot, nil) }

// View returns the current state of all stores in the store's group.
func (s *Store) View() View { return s.group.View() }
