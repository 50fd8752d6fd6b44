package record_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// kept is what the model knows of a revision.
type kept struct {
	record.Seen
	thinned bool
}

// model is what has to be there of an object.
type model struct {
	revisions []kept
	moves     []wire.Version
	upTo      wire.Version // the last that went
	state     state.State  // before it was deleted
	deleted   bool
}

func (m *model) add(s record.Seen) {
	if len(m.revisions) == 0 || m.revisions[len(m.revisions)-1].State != s.State {
		m.moves = append(m.moves, s.Version)
	}
	if m.deleted = s.State == state.Deleted; !m.deleted {
		m.state = s.State
	}
	m.revisions = append(m.revisions, kept{Seen: s})
}

// prune does what the retention says; it reports whether something is left.
func (m *model) prune(r record.Retention, now wire.Version) bool {
	age := func(v wire.Version) time.Duration { return time.Duration(now-v) * time.Second }
	limit := func(d time.Duration) time.Duration {
		if d == 0 {
			return record.Forever
		}
		return d
	}
	keep := limit(r.Keep)
	if d, told := r.PerState[m.state]; told {
		keep = d
	}
	last := len(m.revisions) - 1
	if m.deleted && age(m.revisions[last].Version) > keep {
		return false
	}
	floor := max(0, len(m.revisions)-max(1, r.KeepLast))
	var left []kept
	var upTo wire.Version
	for i, k := range m.revisions {
		protected := i >= floor && !(m.deleted && age(k.Version) > keep)
		switch {
		case !protected && age(k.Version) > keep:
			upTo = k.Version
			continue
		case !protected && age(k.Version) > limit(r.KeepBodies):
			k.thinned = true
		}
		left = append(left, k)
	}
	m.revisions, m.upTo = left, max(m.upTo, upTo)
	newest := m.moves[len(m.moves)-1]
	m.moves = slices.DeleteFunc(m.moves, func(v wire.Version) bool { return v <= upTo && v < newest })
	return true
}

// TestRetention: objects change, and their history is shortened now and then, as
// different retentions say. What is there is what the model says, and all that is kept
// can be read. Nothing else is there, but what others are compared with.
func TestRetention(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		rapid.Check(t, func(t *rapid.T) {
			w.clear()
			models, held := map[string]*model{}, []string{}
			version := wire.Version(1)
			ages := rapid.Custom(func(t *rapid.T) time.Duration {
				return time.Duration(rapid.IntRange(0, 60).Draw(t, "age")) * time.Second
			})
			for range rapid.IntRange(1, 3).Draw(t, "rounds") {
				var batch []record.Seen
				for range rapid.IntRange(1, 40).Draw(t, "revisions") {
					version++
					s := revisionOf(t, version)
					m := models[s.UID]
					if m == nil {
						m = &model{}
						models[s.UID] = m
					}
					if !m.deleted {
						m.add(s)
						batch = append(batch, s)
					}
				}
				if _, err := w.d.Write(w.t.Context(), batch); err != nil {
					t.Fatal(err)
				}
				r := record.Retention{Keep: ages.Draw(t, "keep"), KeepBodies: ages.Draw(t, "bodies"), KeepLast: rapid.IntRange(0, 3).Draw(t, "last")}
				if failed := ages.Draw(t, "failed"); failed > 0 {
					r.PerState = map[state.State]time.Duration{state.Failed: failed}
				}
				now := version + wire.Version(rapid.IntRange(0, 30).Draw(t, "later"))
				dry, err := w.d.PruneDryAt(w.t.Context(), r, time.Unix(1_700_000_000+int64(now), 0))
				if err != nil {
					t.Fatal(err)
				}
				done, err := w.d.PruneAt(w.t.Context(), r, time.Unix(1_700_000_000+int64(now), 0), rapid.IntRange(1, 9).Draw(t, "rows"), 7)
				if err != nil {
					t.Fatal(err)
				}
				if done.Objects != dry.Objects || done.Transitions != dry.Transitions {
					t.Fatalf("%v went, and was to be %v", done, dry)
				}
				for uid, m := range models {
					if !m.prune(r, now) {
						delete(models, uid)
					}
				}
				w.compareKept(t, models, &held)
				if left := w.rows("SELECT COUNT(*) FROM marks m WHERE NOT EXISTS (SELECT 1 FROM transitions t WHERE t.object_id = m.object_id)"); left[0] != "0" {
					t.Fatalf("%s marks are of nothing", left[0])
				}
			}
		})
	})
}

func revisionOf(t *rapid.T, version wire.Version) record.Seen {
	s := record.Seen{
		UID: rapid.SampledFrom([]string{"a", "b", "c", fmt.Sprint("new-", version)}).Draw(t, "uid"), Version: version,
		State: rapid.SampledFrom([]state.State{state.Running, state.Running, state.Failed, state.Succeeded, state.Deleted}).Draw(t, "state"),
	}
	// Of one style they are like each other, and of two not at all: one is kept whole then.
	style := rapid.IntRange(1, 3).Draw(t, "style")
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%x", style*7919*(i+1)*(i+style)%1_000_003)
	}
	s.Body = b.String() + s.UID + rapid.SampledFrom([]string{"x", "y", "z", fmt.Sprint(version)}).Draw(t, "body")
	return s
}

func (w *world) compareKept(t *rapid.T, models map[string]*model, held *[]string) {
	var objects, revisions, thinned, moves, sure []string
	for uid, m := range models {
		last := m.revisions[len(m.revisions)-1]
		objects = append(objects, fmt.Sprint(uid, " ", last.Version, " ", last.State))
		for _, k := range m.revisions {
			if revisions = append(revisions, fmt.Sprint(uid, " ", k.Version)); k.thinned {
				thinned = append(thinned, fmt.Sprint(uid, " ", k.Version))
			}
			body, err := w.d.Body(w.t.Context(), uid, k.Version)
			if !(k.thinned && errors.Is(err, record.ErrNoBody)) && (err != nil || string(body) != k.Body) {
				t.Fatalf("body of %s at %v, thinned: %v: %q, %v", uid, k.Version, k.thinned, body, err)
			}
		}
		for _, v := range m.moves {
			if moves = append(moves, fmt.Sprint(uid, " ", v)); v > m.upTo || v == m.moves[len(m.moves)-1] {
				sure = append(sure, fmt.Sprint(uid, " ", v)) // the others go with the next revision that does
			}
		}
	}
	slices.Sort(objects)
	if got := w.rows("SELECT uid, version, state FROM objects ORDER BY uid"); !slices.Equal(got, objects) {
		t.Fatalf("objects\n got %q\nwant %q", got, objects)
	}
	// What was held back before, because others were compared with it, may stay: it need
	// not be due by the retention of now.
	needed := append(w.rows(needed), *held...)
	*held = needed
	w.compareRows(t, "SELECT o.uid, r.version FROM revisions r JOIN objects o ON o.id = r.object_id", revisions, needed)
	w.compareRows(t, "SELECT o.uid, r.version FROM transitions r JOIN objects o ON o.id = r.object_id", sure, append(moves, w.waiting(revisions)...))
	for _, r := range w.rows("SELECT o.uid, r.version FROM revisions r JOIN objects o ON o.id = r.object_id WHERE LENGTH(r.data) > 0") {
		if slices.Contains(thinned, r) && !slices.Contains(needed, r) {
			t.Fatalf("revision %s has its content, and nothing needs it", r)
		}
	}
	for _, table := range []string{"revisions", "transitions", "labels"} {
		if got := w.rows("SELECT object_id FROM " + table + " WHERE object_id NOT IN (SELECT id FROM objects)"); len(got) > 0 {
			t.Fatalf("%s of no object: %q", table, got)
		}
	}
}

// waiting returns transitions that go with a revision which is due and held back: they
// are at it, or before.
func (w *world) waiting(kept []string) (all []string) {
	back := map[string]int{} // the last that is held back, by object
	for _, r := range w.rows("SELECT o.uid, r.version FROM revisions r JOIN objects o ON o.id = r.object_id") {
		if uid, version := parted(r); !slices.Contains(kept, r) {
			back[uid] = max(back[uid], version)
		}
	}
	for _, r := range w.rows("SELECT o.uid, r.version FROM transitions r JOIN objects o ON o.id = r.object_id") {
		if uid, version := parted(r); version <= back[uid] {
			all = append(all, r)
		}
	}
	return all
}

func parted(row string) (uid string, version int) {
	uid, number, _ := strings.Cut(row, " ")
	version, _ = strconv.Atoi(number)
	return uid, version
}

// compareRows says what of the rows is missing, or is there and may not be.
func (w *world) compareRows(t *rapid.T, query string, want, may []string) {
	got := w.rows(query)
	for _, r := range want {
		if !slices.Contains(got, r) {
			t.Fatalf("%s: %s is missing", query, r)
		}
	}
	for _, r := range got {
		if !slices.Contains(want, r) && !slices.Contains(may, r) {
			t.Fatalf("%s: %s is there, and nothing needs it", query, r)
		}
	}
}

// needed finds revisions that others are compared with, or will be.
const needed = "SELECT o.uid, r.version FROM revisions r JOIN objects o ON o.id = r.object_id" +
	" WHERE o.base = r.version OR EXISTS (SELECT 1 FROM revisions d WHERE d.object_id = r.object_id AND d.base = r.version)"
