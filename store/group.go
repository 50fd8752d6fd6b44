package store

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Group is a set of stores whose views show all of them at one instant. Any goroutine may
// use it. The zero value is an empty group.
type Group struct {
	mu      sync.Mutex // held while a store joins
	current atomic.Pointer[[]*Snapshot]
}

// View is the state of all stores of a group at one instant: at some moment each store
// had exactly this state. A snapshot in a view never changes. Taking a view costs one
// load of a pointer and a small allocation. Store.In adds a store that the view does not
// contain.
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

// View returns the current state of the stores of the group.
func (g *Group) View() View { return View{g.take(), &addition{}} }

// take returns the current snapshots, for a reader.
func (g *Group) take() []*Snapshot {
	for {
		all := g.load()
		i := slices.IndexFunc(all, func(s *Snapshot) bool { return s != nil && !s.transient.persist() })
		if i < 0 {
			return all
		}
		all[i].origin.waitForWriter()
	}
}

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

// join adds a store with its first snapshot and returns its slot.
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

// set publishes the next snapshot of a store.
func (g *Group) set(place int, next *Snapshot) {
	g.change(func(all []*Snapshot) []*Snapshot {
		all[place] = next
		return all
	})
}

// change replaces the snapshots with the result of f for a copy of them. It retries if
// another store has changed them in between.
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
