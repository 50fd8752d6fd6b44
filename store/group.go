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

// View is what all stores of a group held at one instant: there was a moment at
// which each of them showed just that. It never changes. Taking one is one load of
// a pointer and a small allocation. A store that it does not have is added when
// it is asked for; see Store.In.
type View struct {
	snapshots []*Snapshot
	more      *addition
}

// addition is what was added to a view, which all its copies share.
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

// Fail makes Err return err, unless it returns another already.
func (v View) Fail(err error) {
	if v.more == nil {
		return
	}
	v.more.mu.Lock()
	defer v.more.mu.Unlock()
	if v.more.err == nil {
		v.more.err = err
	}
}

// Err returns the first error that Fail was called with: what was read in the view
// is not to be trusted.
func (v View) Err() error {
	if v.more == nil {
		return nil
	}
	v.more.mu.Lock()
	defer v.more.mu.Unlock()
	return v.more.err
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

// And returns a view that shows the stores of both, as v has them if both do. Those of one group are shown
// at one instant; there is none at which several groups were as the view shows
// them.
func (v View) And(other View) View {
	both := View{more: &addition{}}
	for _, one := range []View{v, other} {
		both.snapshots = append(both.snapshots, one.snapshots...)
		if one.more != nil {
			one.more.mu.Lock()
			both.snapshots = append(both.snapshots, one.more.snapshots...)
			both.Fail(one.more.err)
			one.more.mu.Unlock()
		}
	}
	return both
}

// In returns what the store held at the instant of a view. If the view does not
// have it, because it is of another group or older than the store, In adds what all
// stores of this one's group hold now, at one instant, which is not before that of
// the view. From then on the view has them. The zero View cannot be added to: In
// returns what the store holds now.
func (s *Store) In(v View) *Snapshot {
	if s.place < len(v.snapshots) && s.is(v.snapshots[s.place]) {
		return v.snapshots[s.place]
	}
	if i := slices.IndexFunc(v.snapshots, s.is); i >= 0 { // of several groups
		return v.snapshots[i]
	}
	if v.more == nil {
		return s.Snapshot()
	}
	v.more.mu.Lock()
	defer v.more.mu.Unlock()
	if i := slices.IndexFunc(v.more.snapshots, s.is); i >= 0 {
		return v.more.snapshots[i]
	}
	all := s.group.load()
	if !slices.ContainsFunc(all, s.is) { // it has left
		all = []*Snapshot{s.Snapshot()}
	}
	v.more.snapshots = append(v.more.snapshots, all...)
	return v.more.snapshots[slices.IndexFunc(v.more.snapshots, s.is)]
}

func (s *Store) is(of *Snapshot) bool { return of != nil && of.store == s }

// Leave takes the store out of its group: views no longer hold its objects. What
// it held last can still be read from Snapshot. It may be called once no
// goroutine calls Apply any more.
func (s *Store) Leave() { s.group.set(s.place, nil) }

// View returns what the stores of this one's group hold now.
func (s *Store) View() View { return s.group.View() }
