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
// which each of them showed just that. It is immutable. Taking one is one load
// of a pointer.
type View struct{ snapshots []*Snapshot }

// View returns what the stores of the group hold now.
func (g *Group) View() View {
	if all := g.current.Load(); all != nil {
		return View{*all}
	}
	return View{}
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

// And returns a view that shows the stores of both. Those of one group are shown
// at one instant; there is none at which several groups were as the view shows
// them.
func (v View) And(other View) View {
	return View{slices.Concat(v.snapshots, other.snapshots)}
}

// In returns what the store held at the instant of a view; nil if the view is of
// another group, or older than the store.
func (s *Store) In(v View) *Snapshot {
	if s.place < len(v.snapshots) && s.is(v.snapshots[s.place]) {
		return v.snapshots[s.place]
	}
	if i := slices.IndexFunc(v.snapshots, s.is); i >= 0 { // of several groups
		return v.snapshots[i]
	}
	return nil
}

func (s *Store) is(of *Snapshot) bool { return of != nil && of.store == s }

// Leave takes the store out of its group: views no longer hold its objects. What
// it held last can still be read from Snapshot. It may be called once no
// goroutine calls Apply any more.
func (s *Store) Leave() { s.group.set(s.place, nil) }

// View returns what the stores of this one's group hold now.
func (s *Store) View() View { return s.group.View() }
