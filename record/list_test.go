package record_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// open opens an empty database with two clusters and three types.
func open(t *testing.T, url string) *record.Database {
	t.Helper()
	d, err := record.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"INSERT INTO clusters (uid, name, seen_at) VALUES ('uid-a', 'a', 0), ('uid-b', 'b', 0)",
		"INSERT INTO resources (api_group, name, kind) VALUES ('', 'pods', 'Pod'), ('batch', 'jobs', 'Job'), ('batch.volcano.sh', 'jobs', 'Job')",
	} {
		if _, err := d.SQL().ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

var begin = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// story draws what is seen of some objects, with times that are often the same, labels
// that change, and revisions that come late.
func story(t *rapid.T) (all []record.Sight) {
	one := func(what string, values ...string) string { return rapid.SampledFrom(values).Draw(t, what) }
	version := wire.Version(1)
	for i := range rapid.IntRange(1, 25).Draw(t, "objects") {
		s := record.Sight{
			Cluster: int64(rapid.IntRange(1, 2).Draw(t, "cluster")), Resource: int64(rapid.IntRange(1, 3).Draw(t, "type")), Namespace: one("namespace", "", "ml", "web"),
			Name: one("name", "x", "y"), UID: fmt.Sprint("uid-", i), Owner: one("owner", "", "o", "p"), Queue: one("queue", "", "gpu", "cpu"), Submitter: one("user", "", "ann", "bob"),
		}
		at := begin.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * 20 * time.Minute)
		for range rapid.IntRange(1, 6).Draw(t, "revisions") {
			version++
			at = at.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "later")) * 30 * time.Minute)
			s.Version, s.Seen = version, at
			s.State = rapid.SampledFrom([]state.State{state.Queued, state.Running, state.Failed, "", state.Running}).Draw(t, "state")
			s.Labels = map[string]string{"app": "train", "team": one("team", "x", "y")}
			if rapid.IntRange(0, 5).Draw(t, "requeued") == 0 {
				s.Queue = one("queue", "gpu", "cpu")
			}
			all = append(all, s)
		}
		if rapid.Bool().Draw(t, "deleted") {
			version++
			s.Version, s.State = version, state.Deleted
			all = append(all, s)
		}
	}
	for i := range all { // some come late
		if j := rapid.IntRange(0, len(all)-1).Draw(t, "late"); rapid.IntRange(0, 9).Draw(t, "is late") == 0 {
			all[i], all[j] = all[j], all[i]
		}
	}
	return all
}

// filter draws a filter, and returns with it what says the same of an object.
func filter(t *rapid.T) (record.Filter, func(o record.Object, labels map[string]string) bool) {
	var f record.Filter
	seldom := func(what string) bool { return rapid.IntRange(0, 3).Draw(t, what) == 0 }
	one := func(what string, values ...string) string { return rapid.SampledFrom(values).Draw(t, what) }
	if seldom("by cluster") {
		f.Cluster = one("cluster", "a", "uid-b", "c")
	}
	if seldom("by type") {
		f.Types = []record.Type{{Resource: "pods"}, {Group: "batch", Resource: "jobs"}, {Resource: "cows"}}[rapid.IntRange(0, 2).Draw(t, "type"):]
	}
	if seldom("by namespace") {
		f.Namespace = one("namespace", "ml", "web", "no")
	}
	if seldom("by owner") {
		f.Owner = []record.Owner{{Kind: "Job", Name: "o"}, {UID: "uid-p"}, {Kind: "Job", Name: "o", UID: "uid-p"}}[rapid.IntRange(0, 2).Draw(t, "owner")]
	}
	if seldom("by queue") {
		f.Queue = one("queue", "gpu", "cpu")
	}
	if seldom("by user") {
		f.Submitter = one("user", "ann", "eve")
	}
	if seldom("by label") {
		f.Labels = []record.Label{{Name: "app", Value: "train"}, {Name: "team", Value: "x"}}[rapid.IntRange(0, 1).Draw(t, "label"):]
	}
	if seldom("by state") {
		f.States = []state.State{state.Running, state.Failed, state.Deleted}[rapid.IntRange(0, 2).Draw(t, "states"):]
	}
	if seldom("since") {
		f.Since = begin.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "since")) * 10 * time.Minute)
	}
	if seldom("until") {
		f.Until = begin.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "until")) * 10 * time.Minute)
	}
	return f, func(o record.Object, labels map[string]string) bool {
		is := func(want, got string) bool { return want == "" || want == got }
		for _, l := range f.Labels {
			if labels[l.Name] != l.Value {
				return false
			}
		}
		types := f.Types == nil || slices.ContainsFunc(f.Types, func(t record.Type) bool { return t.Group == o.Type.Group && t.Resource == o.Type.Resource })
		return types && (is(f.Cluster, o.Cluster) || is(f.Cluster, o.ClusterUID)) && is(f.Namespace, o.Namespace) && is(f.Owner.UID, o.Owner.UID) && is(f.Owner.Kind, o.Owner.Kind) &&
			is(f.Owner.Name, o.Owner.Name) && is(f.Queue, o.Queue) && is(f.Submitter, o.Submitter)
	}
}

// place is what the order of a list is made of.
type place struct {
	at   time.Time
	id   int64
	name string
}

func sorted(all []place, oldest bool) (names []string) {
	slices.SortFunc(all, func(x, y place) int {
		c := x.at.Compare(y.at)
		if c == 0 {
			c = int(x.id - y.id)
		}
		if !oldest {
			c = -c
		}
		return c
	})
	for _, p := range all {
		names = append(names, p.name)
	}
	return names
}

// pages reads a list to its end.
func pages[T any](t *rapid.T, ctx context.Context, p record.Paging, list func(context.Context, record.Paging) (record.Page[T], error), name func(T) string) (names []string) {
	for item, err := range record.Walk(ctx, p, func(ctx context.Context, p record.Paging) (record.Page[T], error) {
		page, err := list(ctx, p)
		if len(page.Items) > p.Limit {
			t.Fatalf("a page of %d has %d", p.Limit, len(page.Items))
		}
		return page, err
	}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name(item))
	}
	return names
}

// TestListsAgainstModel: pages of lists, one after the other, hold what a filter in
// memory leaves of all that there is: all of it, once, in order.
func TestListsAgainstModel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := open(t, url)
		ctx := t.Context()
		rapid.Check(t, func(t *rapid.T) {
			for _, table := range []string{"transitions", "revisions", "labels", "marks", "objects"} {
				if _, err := d.SQL().ExecContext(ctx, "DELETE FROM "+table); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.WriteSights(ctx, story(t)); err != nil {
				t.Fatal(err)
			}
			objects, transitions, labels := everything(t, ctx, d)
			for range 5 {
				f, holds := filter(t)
				p := record.Paging{Limit: rapid.IntRange(1, 8).Draw(t, "limit"), OldestFirst: rapid.Bool().Draw(t, "oldest first")}
				undo := record.Narrow(rapid.IntRange(1, 100).Draw(t, "rows"), rapid.IntRange(1, 10).Draw(t, "marks"))
				in := func(at time.Time, st string) bool {
					return (f.States == nil || slices.Contains(f.States, state.State(st))) && !at.Before(f.Since) && (f.Until.IsZero() || at.Before(f.Until))
				}
				var wantObjects, wantTransitions []place
				for _, o := range objects {
					if !holds(o, labels[o.ID]) {
						continue
					}
					if in(o.Since, o.State) {
						wantObjects = append(wantObjects, place{o.Since, o.ID, o.UID})
					}
					for _, c := range transitions[o.ID] {
						if in(c.at, c.state) {
							wantTransitions = append(wantTransitions, c.place)
						}
					}
				}
				gotTransitions := pages(t, ctx, p, func(ctx context.Context, p record.Paging) (record.Page[record.Change], error) {
					return d.ListTransitions(ctx, f, p)
				},
					func(c record.Change) string { return fmt.Sprint(c.Object.UID, " ", c.Version) })
				gotObjects := pages(t, ctx, p, func(ctx context.Context, p record.Paging) (record.Page[record.Object], error) {
					return d.ListObjects(ctx, f, p)
				},
					func(o record.Object) string { return o.UID })
				undo()
				if want := sorted(wantTransitions, p.OldestFirst); !slices.Equal(gotTransitions, want) {
					t.Fatalf("transitions of %+v\n got %q\nwant %q", f, gotTransitions, want)
				}
				if want := sorted(wantObjects, p.OldestFirst); !slices.Equal(gotObjects, want) {
					t.Fatalf("objects of %+v\n got %q\nwant %q", f, gotObjects, want)
				}
			}
		})
	})
}

type transition struct {
	place
	state string
}

// everything reads what there is, without filters.
func everything(t *rapid.T, ctx context.Context, d *record.Database) (objects []record.Object, transitions map[int64][]transition, labels map[int64]map[string]string) {
	transitions, labels = map[int64][]transition{}, map[int64]map[string]string{}
	objects, uids := nil, map[int64]string{}
	query := func(text string, f func(scan func(...any) error) error) {
		rows, err := d.SQL().QueryContext(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			if err := f(rows.Scan); err != nil {
				t.Fatal(err)
			}
		}
	}
	query("SELECT o.id, o.uid, c.name, c.uid, r.api_group, r.name, o.namespace, o.owner_uid, o.owner_kind, o.owner_name, o.queue, o.submitter, o.state, o.since"+
		" FROM objects o JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id", func(scan func(...any) error) error {
		var o record.Object
		var since int64
		err := scan(&o.ID, &o.UID, &o.Cluster, &o.ClusterUID, &o.Type.Group, &o.Type.Resource, &o.Namespace, &o.Owner.UID, &o.Owner.Kind, &o.Owner.Name, &o.Queue, &o.Submitter, &o.State, &since)
		o.Since = time.UnixMicro(since)
		objects, uids[o.ID], labels[o.ID] = append(objects, o), o.UID, map[string]string{}
		return err
	})
	query("SELECT object_id, name, value FROM labels", func(scan func(...any) error) error {
		var id int64
		var name, value string
		err := scan(&id, &name, &value)
		maps.Copy(labels[id], map[string]string{name: value})
		return err
	})
	query("SELECT id, object_id, version, to_state, happened_at FROM transitions", func(scan func(...any) error) error {
		var object, version, at int64
		var c transition
		err := scan(&c.id, &object, &version, &c.state, &at)
		c.at, c.name = time.UnixMicro(at), fmt.Sprint(uids[object], " ", version)
		transitions[object] = append(transitions[object], c)
		return err
	})
	return objects, transitions, labels
}

// TestCursor: a cursor of one's own, or of the other order, is refused.
func TestCursor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := open(t, url)
		if err := d.WriteSights(t.Context(), []record.Sight{
			{Cluster: 1, Resource: 1, UID: "a", Version: 1, State: state.Queued, Seen: begin},
			{Cluster: 1, Resource: 1, UID: "a", Version: 2, State: state.Running, Seen: begin},
		}); err != nil {
			t.Fatal(err)
		}
		page, err := d.ListTransitions(t.Context(), record.Filter{}, record.Paging{Limit: 1})
		if err != nil || len(page.Items) != 1 || page.Items[0].To != "Running" || page.Next == "" {
			t.Fatalf("%+v, %v", page, err)
		}
		for _, p := range []record.Paging{{After: page.Next, OldestFirst: true}, {After: "x"}, {After: page.Next + "A"}, {After: record.Cursor(strings.Repeat("9", 50))}} {
			if _, err := d.ListTransitions(t.Context(), record.Filter{}, p); !errors.Is(err, record.ErrCursor) {
				t.Errorf("%+v: %v", p, err)
			}
		}
		if _, err := d.ListObjects(t.Context(), record.Filter{States: []state.State{"Dancing"}}, record.Paging{}); err == nil || !strings.Contains(err.Error(), "Dancing") {
			t.Errorf("an unknown state: %v", err)
		}
	})
}

// TestUnmark: an object that is to be deleted leaves no marks behind.
func TestUnmark(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := open(t, url)
		sight := record.Sight{Cluster: 1, Resource: 1, Namespace: "ml", Owner: "o", Queue: "q", UID: "a", Version: 1, State: state.Queued, Seen: begin, Labels: map[string]string{"x": "y"}}
		later := sight
		later.Version, later.State, later.Seen = 2, state.Running, begin.Add(3*time.Hour)
		other := sight
		other.UID = "b"
		if err := d.WriteSights(t.Context(), []record.Sight{sight, later, other}); err != nil {
			t.Fatal(err)
		}
		count := func() (n int) {
			if err := d.SQL().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM marks").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := count(); n != 21 {
			t.Errorf("%d marks of two objects, 7 each for an hour; want 21", n)
		}
		if err := d.Unmark(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if n := count(); n != 7 {
			t.Errorf("%d marks are left, want 7", n)
		}
	})
}
