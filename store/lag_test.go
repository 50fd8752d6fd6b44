package store_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// drain takes all pending changes of a subscriber, call by call.
func drain(t *testing.T, sub *store.Subscription) (calls [][]string) {
	t.Helper()
	for {
		changes, _, err := sub.CatchUp()
		if err != nil {
			t.Fatal(err)
		}
		if len(changes) == 0 {
			return calls
		}
		var lines []string
		for _, c := range changes {
			line := fmt.Sprintf("%v %s %s", c.Kind, c.Last().Key().Name, c.Last().UID())
			if !c.Old.IsZero() {
				line += fmt.Sprint(" from ", c.Old.Version())
			}
			line += fmt.Sprint(" to ", c.New.Version())
			if c.Folded > 0 {
				line += fmt.Sprint(" and ", c.Folded, " more")
			}
			if c.CameAndWent() {
				line += ", came and went"
			}
			lines = append(lines, line)
		}
		calls = append(calls, lines)
	}
}

// TestFallingBehind checks that a subscriber of EveryChange first gets its backlog change
// by change, then one folded change per object with the number of changes, and then every
// change again. It does not block the store, and all changes are counted.
func TestFallingBehind(t *testing.T) {
	s := store.New(store.Config{Backlog: 3})
	apply(t, s, begin, upsert("aold", "1", 1), upsert("agoes", "2", 2), upsert("astays", "3", 3), end(3))
	sub := s.Subscribe(0) // the zero value
	defer sub.Close()
	var fell []store.Lag
	sub.OnLag(func(l store.Lag) { fell = append(fell, l) })
	step := func(d delta.Delta) { apply(t, s, d) }
	for v := 4; v < 8; v++ {
		step(upsert("aold", "1", v)) // the backlog is three
	}
	if got := sub.Lag(); !got.Behind || got.Episodes != 1 || got.Folded != 1 || len(fell) != 1 {
		t.Errorf("beyond the backlog: got lag %+v, OnLag called with %v", got, fell)
	}
	step(upsert("aold", "1", 8))
	step(upsert("abrief", "4", 9))
	step(upsert("abrief", "4", 10))
	step(remove("abrief", "4", 11))
	step(upsert("agoes", "2", 12))
	step(remove("agoes", "2", 13))
	step(upsert("agoes", "5", 14))
	step(upsert("agoes", "5", 15))
	step(remove("agoes", "5", 16))
	step(upsert("agoes", "6", 17))
	step(upsert("afresh", "7", 18))
	step(upsert("aold", "1", 19))
	want := [][]string{
		{"Updated old 1 from 1 to 4", "Updated old 1 from 4 to 5", "Updated old 1 from 5 to 6"},
		{
			"Deleted goes 2 from 2 to 13 and 1 more",
			"Deleted brief 4 from 10 to 11 and 2 more, came and went",
			"Deleted goes 5 from 15 to 16 and 2 more, came and went",
			"Added goes 6 to 17", "Added fresh 7 to 18", "Updated old 1 from 6 to 19 and 2 more",
		},
	}
	if got := drain(t, sub); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(slices.Concat(got...), "\n"), strings.Join(slices.Concat(want...), "\n"))
	}
	if got := sub.Lag(); got.Behind || got.Episodes != 1 || got.Folded != 13 || got.Unreported != 0 {
		t.Errorf("after catching up: got %+v", got)
	}
	step(upsert("aold", "1", 20))
	step(upsert("aold", "1", 21))
	if got := drain(t, sub); len(got) != 1 || len(got[0]) != 2 {
		t.Errorf("back on the chain: got %v", got)
	}
	if st := s.Stats(); st.FellBehind != 1 || st.Folded != 13 || st.Unreported != 0 {
		t.Errorf("got %+v", st)
	}
}

// TestMoreCameAndWent checks that objects that came and went beyond the backlog are
// counted but not kept.
func TestMoreCameAndWent(t *testing.T) {
	s := store.New(store.Config{Backlog: 3})
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	v := 0
	for i := range 10 {
		key, uid := fmt.Sprint("ab", i), fmt.Sprint(i)
		v++
		apply(t, s, upsert(key, uid, v))
		v++
		apply(t, s, remove(key, uid, v))
	}
	// The backlog has the addition of b1.
	want := [][]string{
		{"Added b0 0 to 1", "Deleted b0 0 from 1 to 2", "Added b1 1 to 3"},
		{"Deleted b1 1 from 3 to 4", "Deleted b2 2 from 5 to 6 and 1 more, came and went", "Deleted b3 3 from 7 to 8 and 1 more, came and went", "Deleted b4 4 from 9 to 10 and 1 more, came and went"},
	}
	if got := drain(t, sub); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got := sub.Lag(); got.Unreported != 5 || s.Stats().Unreported != 5 {
		t.Errorf("got %+v", got)
	}
}

// TestLagIsBounded checks that the memory of a subscriber that never reads is bounded,
// with updates as well as objects that come and go, and that it does not block the store.
func TestLagIsBounded(t *testing.T) {
	const n, backlog = 500, 1000
	s := store.New(store.Config{Backlog: backlog})
	version := 0
	batch := []delta.Delta{begin}
	for i := range n {
		version++
		batch = append(batch, pod(i, version, body(i, version)))
	}
	apply(t, s, append(batch, end(version))...)
	sub := s.Subscribe(store.EveryChange)
	defer sub.Close()
	pass := func(changes int) {
		for i := range changes / 4 {
			for _, j := range []int{i % n, i % 7} { // a few change often
				version++
				apply(t, s, pod(j, version, body(j, version)))
			}
			brief := pod(n+i, version+1, body(n+i, version+1))
			gone := pod(n+i, version+2, body(n+i, version+2))
			gone.Kind = delta.Delete
			version += 2
			apply(t, s, brief)
			apply(t, s, gone)
		}
	}
	const few = 4 * backlog
	pass(few)
	before := heap()
	pass(manyChanges)
	after := heap()
	t.Logf("%d B after %d changes, %d B after %d", before, few, after, few+manyChanges)
	if after > before+before/2 {
		t.Errorf("got %d B of heap after %d changes, and %d B after %d", before, few, after, few+manyChanges)
	}
	lag := sub.Lag()
	if !lag.Behind || lag.Episodes != 1 || lag.Folded != few+manyChanges-backlog || lag.Unreported == 0 {
		t.Errorf("got %+v", lag)
	}
	runtime.KeepAlive(s)
}

// TestFallingBehindTogether follows subscribers that fall behind together and catch up
// one by one while changes continue. Each must get the changes of each object from the
// state that it had, with all changes counted.
func TestFallingBehindTogether(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		s := store.New(store.Config{Backlog: 4})
		version, total := 0, 0
		always := s.Subscribe(store.Lossless)
		defer always.Close()
		subs := make([]*store.Subscription, rapid.IntRange(1, 4).Draw(t, "subscribers"))
		views := make([]view, len(subs))
		for i := range subs {
			subs[i], views[i] = s.Subscribe(store.EveryChange), view{state: map[string]wire.Version{}}
			defer subs[i].Close()
		}
		take := func(i int) (more bool) {
			changes, now, err := subs[i].CatchUp()
			if err != nil {
				t.Fatal(err)
			}
			views[i].add(t, changes)
			if len(changes) > 0 || !subs[i].Lag().Behind {
				views[i].at(t, now)
			}
			return len(changes) > 0
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				for range rapid.IntRange(1, 12).Draw(t, "writes") {
					version++
					name, uid := fmt.Sprint("a", rapid.IntRange(0, 3).Draw(t, "name")), fmt.Sprint(rapid.IntRange(0, 1).Draw(t, "uid"))
					d := upsert(name, uid, version)
					if rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
						d = remove(name, uid, version)
					}
					apply(t, s, d)
					changes, _, err := always.CatchUp()
					if err != nil {
						t.Fatal(err)
					}
					total += len(changes)
				}
			},
			"take": func(t *rapid.T) { take(rapid.IntRange(0, len(subs)-1).Draw(t, "subscriber")) },
		})
		for i := range subs {
			for take(i) {
			}
			if lag := subs[i].Lag(); lag.Behind || lag.Unreported == 0 && views[i].changes != total {
				t.Fatalf("subscriber %d: got %+v with %d changes, want %d", i, lag, views[i].changes, total)
			}
			views[i].at(t, s.Snapshot())
		}
	})
}

// view is the state of a store as a subscriber has it.
type view struct {
	state   map[string]wire.Version // version by name and UID
	changes int                     // including folded changes
}

// add applies changes. Each must start from the state of the view.
func (v *view) add(t *rapid.T, changes []store.Change) {
	for _, c := range changes {
		v.changes += 1 + int(c.Folded)
		name := c.Last().Key().Name + " " + c.Last().UID()
		was, known := v.state[name]
		switch {
		case c.CameAndWent():
			if known {
				t.Fatalf("%s came and went, but the view already has it", name)
			}
		case c.Kind == store.Added:
			if known {
				t.Fatalf("%s is added twice", name)
			}
			v.state[name] = c.New.Version()
		case !known || was != c.Old.Version():
			t.Fatalf("%v %s from %d, but the view has %d (%v)", c.Kind, name, c.Old.Version(), was, known)
		case c.Kind == store.Updated:
			v.state[name] = c.New.Version()
		default:
			delete(v.state, name)
		}
	}
}

// at compares the view with a snapshot.
func (v *view) at(t *rapid.T, now *store.Snapshot) {
	n := 0
	for e := range now.All() {
		n++
		if is := v.state[e.Key().Name+" "+e.UID()]; is != e.Version() {
			t.Fatalf("%s: got %[3]d, want %[2]d", e.Key(), e.Version(), is)
		}
	}
	if n != len(v.state) {
		t.Fatalf("got %[2]d objects, want %[1]d", n, len(v.state))
	}
}
