package store

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Group ties stores together, so that one view shows all of them at one
// instant. Any goroutine may use it. The zero value is an empty group.
type Group struct {
	mu      sync.Mutex // of who joins and leaves
	current atomic.Pointer[[]*Snapshot]
}

// View shows what all stores of a group held at one instant: at some moment each of
// them showed exactly this. A snapshot in a view never changes. Taking a view costs one
// load of a pointer and a small allocation. Store.In adds a store that the view does
// not have.
type View struct {
	snapshots []*Snapshot
	added     *addition
}

// addition holds the stores that were added to a view. All copies of the view share it.
type addition struct {
	mu        sync.Mutex
	snapshots []*Snapshot
	err       error
}

// View returns what the stores of the group hold now.
func (g *Group) View() View { return View{g.load(), &addition{}} }

func (g *Group) load() []*Snapshot {
	if all := g.current.Load(); all != nil {
		return *all
	}
	return nil
}

// Fail makes Err return err, unless Err already returns another error.
func (v View) Fail(err error) {
	if v.added == nil {
		return
	}
	v.added.mu.Lock()
	defer v.added.mu.Unlock()
	if v.added.err == nil {
		v.added.err = err
	}
}

// Err returns the first error passed to Fail: data read in the view is not reliable.
func (v View) Err() error {
	if v.added == nil {
		return nil
	}
	v.added.mu.Lock()
	defer v.added.mu.Unlock()
	return v.added.err
}

// join returns the place of a store whose first snapshot this is.
func (g *Group) join(first *Snapshot) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	place := 0
	g.change(func(all []*Snapshot) []*Snapshot {
		if place = slices.Index(all, nil); place < 0 {
			place = len(all)
			return append(all, first)
		}
		all[place] = first
		return all
	})
	return place
}

// set shows the next snapshot of a store.
func (g *Group) set(place int, next *Snapshot) {
	g.change(func(all []*Snapshot) []*Snapshot {
		all[place] = next
		return all
	})
}

// change replaces the snapshots by what f makes of a copy. It goes on until no
// other store has come between.
func (g *Group) change(f func([]*Snapshot) []*Snapshot) {
	for {
		was := g.current.Load()
		var all []*Snapshot
		if was != nil {
			all = slices.Clone(*was)
		}
		all = f(all)
		if g.current.CompareAndSwap(was, &all) {
			return
		}
	}
}

// And returns a view of the stores of both views. If both have a store, the result
// shows it as v does. The stores of one group are shown at one instant; stores of
// different groups are not.
func (v View) And(other View) View {
	both := View{added: &addition{}}
	for _, one := range []View{v, other} {
		both.snapshots = append(both.snapshots, one.snapshots...)
		if one.added != nil {
			one.added.mu.Lock()
			both.snapshots = append(both.snapshots, one.added.snapshots...)
			both.Fail(one.added.err)
			one.added.mu.Unlock()
		}
	}
	return both
}

// In returns what the store held at the instant of a view. If the view does not have
// the store, because it belongs to another group or is older than the store, In adds
// the current state of all stores of this store's group, all taken at one instant,
// which is not before the instant of the view. The view has them from then on. Nothing
// can be added to the zero View: for it, In returns the current state.
func (s *Store) In(v View) *Snapshot {
	if s.slot < len(v.snapshots) && s.is(v.snapshots[s.slot]) {
		return v.snapshots[s.slot]
	}
	if i := slices.IndexFunc(v.snapshots, s.is); i >= 0 { // of several groups
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
	all := s.group.load()
	if !slices.ContainsFunc(all, s.is) { // the store has left the group
		all = []*Snapshot{s.Snapshot()}
	}
	v.added.snapshots = append(v.added.snapshots, all...)
	return v.added.snapshots[slices.IndexFunc(v.added.snapshots, s.is)]
}

func (s *Store) is(of *Snapshot) bool { return of != nil && of.store == s }

// Leave takes the store out of its group: views no longer hold its objects. What
// it held last can still be read from Snapshot. It may be called once no
// goroutine calls Apply any more.
func (s *Store) Leave() { s.group.set(s.slot, nil) }

// View returns what the stores of this one's group hold now.
func (s *Store) View() View { return s.group.View() }
