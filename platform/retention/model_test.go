package retention_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/glob"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// stored is a revision in the naive model.
type stored struct {
	modeltest.Revision
	stripped bool
}

// naive is the expected history of one object.
type naive struct {
	uid         string
	revisions   []stored
	transitions []wire.Version
	upTo        wire.Version // last removed version
	state       job.State    // before the deletion
	deleted     bool
	unread      wire.Version // first transition that a live cursor of the feed has not read; 0: none
}

// add adds a revision, and reports whether it is a transition.
func (m *naive) add(s modeltest.Revision) (transition bool) {
	if transition = len(m.revisions) == 0 || m.revisions[len(m.revisions)-1].State != s.State; transition {
		m.transitions = append(m.transitions, s.Version)
	}
	if m.deleted = s.State == job.Deleted; !m.deleted {
		m.state = s.State
	}
	m.revisions = append(m.revisions, stored{Revision: s})
	return transition
}

// prune applies a policy, and reports whether the object still exists.
func (m *naive) prune(r retention.Policy, now wire.Version) bool {
	age := func(v wire.Version) time.Duration { return time.Duration(now-v) * time.Second }
	limit := func(d time.Duration) time.Duration {
		if d == 0 {
			return retention.Forever
		}
		return d
	}
	keep := limit(r.Keep)
	for _, one := range slices.Backward(r.Rules) {
		if len(one.Namespaces) == 1 || one.Labels != nil && m.uid != "b" || len(one.States) > 0 && m.state != job.Failed {
			continue
		}
		keep = one.Keep
	}
	last := len(m.revisions) - 1
	removable := func(v wire.Version) bool { return age(v) > keep && (m.unread == 0 || v < m.unread) }
	if m.deleted && removable(m.revisions[last].Version) {
		return false
	}
	floor := max(0, len(m.revisions)-max(1, r.KeepLast))
	var left []stored
	var upTo wire.Version
	for i, k := range m.revisions {
		protected := i >= floor && !(m.deleted && removable(k.Version))
		switch {
		case !protected && removable(k.Version):
			upTo = k.Version
			continue
		case !protected && age(k.Version) > limit(r.KeepBodies):
			k.stripped = true
		}
		left = append(left, k)
	}
	m.revisions, m.upTo = left, max(m.upTo, upTo)
	newest := m.transitions[len(m.transitions)-1]
	m.transitions = slices.DeleteFunc(m.transitions, func(v wire.Version) bool { return v <= upTo && v < newest })
	return true
}

// feedEntry is an entry of the feed in the naive model.
type feedEntry struct {
	of      *naive
	version wire.Version
}

// moveCursors draws which cursors the feed has, and returns the position that the first
// live one of them has read, or false if there is none.
func (d *database) moveCursors(t *rapid.T, head int) (first int, live bool) {
	d.Exec("DELETE FROM feed_cursors")
	for i := range rapid.IntRange(0, 2).Draw(t, "cursors") {
		at, expired := rapid.IntRange(0, head).Draw(t, "position"), rapid.IntRange(0, 2).Draw(t, "expired") == 0
		seen := modeltest.Seen(1_000_000)
		if expired {
			seen = modeltest.Seen(0).Add(-365 * 24 * time.Hour) // retention expires the cursor
		}
		d.Exec(fmt.Sprintf("INSERT INTO feed_cursors (name, position, token, owner, created_at, seen_at, expired_at) VALUES ('%d', %d, 0, '', 0, %d, 0)", i, at, seen.UnixMicro()))
		if !expired && (!live || at < first) {
			first, live = at, true
		}
	}
	return first, live
}

// TestAgainstModel changes objects and prunes their history with random policies, while
// cursors of the feed have read a part. The database must hold the rows of the naive model,
// and every kept body must be readable. Other rows must be keyframes of kept differences.
func TestAgainstModel(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		modeltest.Check(t, func(t *rapid.T) {
			d.Clear()
			models, held := map[string]*naive{}, []string{}
			var log []feedEntry
			version := wire.Version(1)
			ages := rapid.Custom(func(t *rapid.T) time.Duration {
				return time.Duration(rapid.IntRange(0, 60).Draw(t, "age")) * time.Second
			})
			for range rapid.IntRange(1, 3).Draw(t, "rounds") {
				var batch []modeltest.Revision
				for range rapid.IntRange(1, 40).Draw(t, "revisions") {
					version++
					s := revisionOf(t, version)
					m := models[s.UID]
					if m == nil {
						m = &naive{uid: s.UID}
						models[s.UID] = m
					}
					if m.deleted {
						continue
					}
					if m.add(s) {
						log = append(log, feedEntry{m, version})
					}
					batch = append(batch, s)
				}
				if err := d.Write(t.Context(), batch); err != nil {
					t.Fatal(err)
				}
				head := 0
				if rapid.Bool().Draw(t, "numbered") {
					if _, err := feed.Sequence(t.Context(), d.DB); err != nil {
						t.Fatal(err)
					}
				}
				_, _ = fmt.Sscan(d.Rows("SELECT position FROM feed_head")[0], &head)
				first, live := d.moveCursors(t, head)
				for _, m := range models {
					m.unread = 0
				}
				for _, e := range slices.Backward(log[first:]) {
					if live && (e.of.unread == 0 || e.version < e.of.unread) {
						e.of.unread = e.version
					}
				}
				r := retention.Policy{Keep: ages.Draw(t, "keep"), KeepBodies: ages.Draw(t, "bodies"), KeepLast: rapid.IntRange(0, 3).Draw(t, "last")}
				r.Rules = drawRules(t, ages)
				d.Exec("DELETE FROM labels")
				d.Exec("INSERT INTO labels (object_id, name, value) SELECT id, 'keep', 'long' FROM objects WHERE uid = 'b'")
				now := version + wire.Version(rapid.IntRange(0, 30).Draw(t, "later"))
				preview, err := retention.PreviewAt(t.Context(), d.DB, r, modeltest.Seen(now))
				if err != nil {
					t.Fatal(err)
				}
				done, err := retention.PruneAt(t.Context(), d.DB, r, modeltest.Seen(now), rapid.IntRange(1, 9).Draw(t, "rows"), 7)
				if err != nil {
					t.Fatal(err)
				}
				if done.Objects != preview.Objects || done.Transitions != preview.Transitions {
					t.Fatalf("removed %v, but the preview was %v", done, preview)
				}
				for uid, m := range models {
					if !m.prune(r, now) {
						delete(models, uid)
					}
				}
				d.compare(t, models, &held)
				if left := d.Rows("SELECT COUNT(*) FROM " + model.IndexTable + " m WHERE NOT EXISTS (SELECT 1 FROM transitions t WHERE t.object_id = m.object_id)"); left[0] != "0" {
					t.Fatalf("%s index entries belong to no transition", left[0])
				}
			}
		})
	})
}

// drawRules draws rules that select all objects or none by their namespace, the object b by its label, or
// objects that have failed.
func drawRules(t *rapid.T, ages *rapid.Generator[time.Duration]) (all []retention.Rule) {
	for range rapid.IntRange(0, 3).Draw(t, "rules") {
		r := retention.Rule{Keep: max(ages.Draw(t, "rule keeps"), time.Second)}
		properties := rapid.IntRange(1, 7).Draw(t, "properties")
		if properties&1 > 0 {
			r.Namespaces = []glob.Pattern{"other", "m*"}[:rapid.IntRange(1, 2).Draw(t, "namespaces")] // all are in ml
		}
		if properties&2 > 0 {
			r.Labels = labels.SelectorFromSet(labels.Set{"keep": "long"})
		}
		if properties&4 > 0 {
			r.States = []job.State{job.Failed}
		}
		all = append(all, r)
	}
	return all
}

func revisionOf(t *rapid.T, version wire.Version) modeltest.Revision {
	s := modeltest.Revision{
		UID: rapid.SampledFrom([]string{"a", "b", "c", fmt.Sprint("new-", version)}).Draw(t, "uid"), Version: version,
		State: rapid.SampledFrom([]job.State{job.Running, job.Running, job.Failed, job.Succeeded, job.Deleted}).Draw(t, "state"),
	}
	// Bodies of one style are similar. After a change of style comes a keyframe.
	style := rapid.IntRange(1, 3).Draw(t, "style")
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%x", style*7919*(i+1)*(i+style)%1_000_003)
	}
	s.Body = b.String() + s.UID + rapid.SampledFrom([]string{"x", "y", "z", fmt.Sprint(version)}).Draw(t, "body")
	return s
}

func (d *database) compare(t *rapid.T, models map[string]*naive, held *[]string) {
	var objects, revisions, stripped, transitions, sure []string
	for uid, m := range models {
		last := m.revisions[len(m.revisions)-1]
		objects = append(objects, fmt.Sprint(uid, " ", last.Version, " ", last.State))
		for _, k := range m.revisions {
			if revisions = append(revisions, fmt.Sprint(uid, " ", k.Version)); k.stripped {
				stripped = append(stripped, fmt.Sprint(uid, " ", k.Version))
			}
			body, err := d.Body(t.Context(), uid, k.Version)
			if !(k.stripped && errors.Is(err, bodies.ErrNoBody)) && (err != nil || string(body) != k.Body) {
				t.Fatalf("body of %s at %v, stripped: %v: %q, %v", uid, k.Version, k.stripped, body, err)
			}
		}
		for _, v := range m.transitions {
			if transitions = append(transitions, fmt.Sprint(uid, " ", v)); v > m.upTo || v == m.transitions[len(m.transitions)-1] {
				sure = append(sure, fmt.Sprint(uid, " ", v)) // the others are removed with the next removed revision
			}
		}
	}
	slices.Sort(objects)
	if got := d.Rows("SELECT uid, version, state FROM objects ORDER BY uid"); !slices.Equal(got, objects) {
		t.Fatalf("objects\n got %q\nwant %q", got, objects)
	}
	// A keyframe that had to stay before may stay longer: the policy of now need not remove
	// it.
	needed := append(d.Rows(needed), *held...)
	*held = needed
	d.compareRows(t, "SELECT o.uid, r.version FROM revisions r JOIN objects o ON o.id = r.object_id", revisions, needed)
	d.compareRows(t, "SELECT o.uid, r.version FROM transitions r JOIN objects o ON o.id = r.object_id", sure, append(transitions, d.waiting(revisions)...))
	for _, r := range d.Rows("SELECT o.uid, r.version FROM revisions r JOIN objects o ON o.id = r.object_id WHERE LENGTH(r.data) > 0") {
		if slices.Contains(stripped, r) && !slices.Contains(needed, r) {
			t.Fatalf("revision %s has its body, but no row needs it", r)
		}
	}
	for _, table := range []string{"revisions", "transitions", "labels"} {
		if got := d.Rows("SELECT object_id FROM " + table + " WHERE object_id NOT IN (SELECT id FROM objects)"); len(got) > 0 {
			t.Fatalf("%s without an object: %q", table, got)
		}
	}
}

// waiting returns the transitions that stay with a needed keyframe: those at its version or
// earlier.
func (d *database) waiting(kept []string) (all []string) {
	back := map[string]int{} // the last such keyframe, by object
	for _, r := range d.Rows("SELECT o.uid, r.version FROM revisions r JOIN objects o ON o.id = r.object_id") {
		if uid, version := split(r); !slices.Contains(kept, r) {
			back[uid] = max(back[uid], version)
		}
	}
	for _, r := range d.Rows("SELECT o.uid, r.version FROM transitions r JOIN objects o ON o.id = r.object_id") {
		if uid, version := split(r); version <= back[uid] {
			all = append(all, r)
		}
	}
	return all
}

func split(row string) (uid string, version int) {
	uid, number, _ := strings.Cut(row, " ")
	version, _ = strconv.Atoi(number)
	return uid, version
}

// compareRows fails if a query lacks a row of want, or has a row that is neither in want
// nor in may.
func (d *database) compareRows(t *rapid.T, query string, want, may []string) {
	got := d.Rows(query)
	for _, r := range want {
		if !slices.Contains(got, r) {
			t.Fatalf("%s: %s is missing", query, r)
		}
	}
	for _, r := range got {
		if !slices.Contains(want, r) && !slices.Contains(may, r) {
			t.Fatalf("%s: %s is stored, but no row needs it", query, r)
		}
	}
}

// needed selects keyframes that differences refer to, or that the next difference will
// refer to.
const needed = "SELECT o.uid, r.version FROM revisions r JOIN objects o ON o.id = r.object_id" +
	" WHERE o.keyframe_version = r.version OR EXISTS (SELECT 1 FROM revisions d WHERE d.object_id = r.object_id AND d.keyframe_version = r.version)"
