package history_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// writeNamesakes stores three objects with the name x: two in the namespace ml, one after the
// other, and one in web. The first has four revisions and three transitions.
func writeNamesakes(t *testing.T, db *sqldb.DB) {
	t.Helper()
	one := func(uid, namespace string, version wire.Version, to job.State) revision {
		return revision{Cluster: 1, Resource: 1, Namespace: namespace, Name: "x", UID: uid, Version: version, State: to, Seen: begin.Add(minutes(int(version)))}
	}
	if err := write(t.Context(), db, []revision{
		one("a", "ml", 1, job.Queued), one("a", "ml", 2, job.Running), one("a", "ml", 3, job.Running), one("a", "ml", 4, job.Deleted),
		one("b", "ml", 5, job.Queued), one("c", "web", 6, job.Queued),
	}); err != nil {
		t.Fatal(err)
	}
}

// collect reads a list in pages of one item.
func collect[T, V any](t *testing.T, order history.Order, list func(context.Context, history.Paging) (history.Page[T], error), value func(T) V) (all []V) {
	t.Helper()
	for item, err := range history.All(t.Context(), history.Paging{Limit: 1, Order: order}, list) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, value(item))
	}
	return all
}

// TestNamesakes: all objects that had a name, with their transitions and revisions, in both
// orders.
func TestNamesakes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		h := history.New(db)
		writeNamesakes(t, db)
		name := history.ObjectName{Type: pods, Namespace: "ml", Name: "x"}
		objects := func(ctx context.Context, p history.Paging) (history.Page[history.Object], error) {
			return h.Objects(ctx, name, p)
		}
		uid := func(o history.Object) string { return o.UID }
		if got := collect(t, history.NewestFirst, objects, uid); !slices.Equal(got, []string{"b", "a"}) {
			t.Errorf("objects in ml: %v", got)
		}
		name.AllNamespaces = true
		if got := collect(t, history.OldestFirst, objects, uid); !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("objects in all namespaces: %v", got)
		}
		name.Cluster = "b"
		if got := collect(t, history.OldestFirst, objects, uid); got != nil {
			t.Errorf("objects in the other cluster: %v", got)
		}
		name.Cluster = "uid-a"
		page, err := objects(t.Context(), history.Paging{Limit: 1, Order: history.OldestFirst})
		if err != nil || len(page.Items) != 1 || page.Items[0].Presence != history.Deleted || page.Items[0].Gone != begin.Add(minutes(4)).Local() {
			t.Fatalf("got %+v and error %v, want one deleted object, gone after 4 minutes", page, err)
		}
		id := page.Items[0].ID
		versions := collect(t, history.NewestFirst, func(ctx context.Context, p history.Paging) (history.Page[history.Revision], error) {
			return h.Revisions(ctx, id, p)
		},
			func(r history.Revision) wire.Version { return r.Version })
		if !slices.Equal(versions, []wire.Version{4, 3, 2, 1}) {
			t.Errorf("got revisions %v, want [4 3 2 1]", versions)
		}
		transitions := collect(t, history.OldestFirst, func(ctx context.Context, p history.Paging) (history.Page[history.Transition], error) {
			return h.Transitions(ctx, id, p)
		},
			func(tr history.Transition) [3]any {
				return [3]any{tr.Version, tr.To, tr.Ended.Sub(tr.Happened) == minutes(1) || tr.Ended.IsZero()}
			})
		if want := [][3]any{{wire.Version(1), "Queued", true}, {wire.Version(2), "Running", false}, {wire.Version(4), "Deleted", true}}; !slices.Equal(transitions, want) {
			t.Errorf("transitions: %v, want %v", transitions, want)
		}
	})
}

// TestUnknown checks the error for something that is not recorded.
func TestUnknown(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		h := history.New(db)
		writeNamesakes(t, db)
		for object, version := range map[int64]wire.Version{1: 77, 99: 0} {
			if _, _, err := h.Body(t.Context(), object, version); !errors.Is(err, history.ErrUnknown) {
				t.Errorf("body of object %d at version %v: %v", object, version, err)
			}
		}
		for _, c := range []struct {
			cluster string
			of      history.Type
			uid     string
			at      wire.Version
		}{{"", pods, "a", 77}, {"", jobs, "a", 2}, {"b", pods, "a", 2}, {"", history.Type{Resource: "cows"}, "a", 2}, {"", pods, "z", 2}} {
			if _, err := h.StateBegan(t.Context(), c.cluster, c.of, c.uid, c.at); !errors.Is(err, history.ErrUnknown) {
				t.Errorf("%+v: got %v, want ErrUnknown", c, err)
			}
		}
		for at, want := range map[wire.Version]wire.Version{1: 1, 2: 2, 3: 2, 4: 4} {
			if got, err := h.StateBegan(t.Context(), "a", pods, "a", at); err != nil || got != want {
				t.Errorf("the state at version %v began at %v, %v; want %v", at, got, err, want)
			}
		}
	})
}

// TestNoBody checks the error for a revision without a body, and that the last body is
// found without a version.
func TestNoBody(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		h := history.New(db)
		writeNamesakes(t, db)
		page, err := h.Objects(t.Context(), history.ObjectName{Type: pods, Namespace: "ml", Name: "x"}, history.Paging{})
		if err != nil || len(page.Items) != 2 {
			t.Fatalf("got %+v and error %v, want 2 objects", page, err)
		}
		if _, at, err := h.Body(t.Context(), page.Items[0].ID, 0); !errors.Is(err, history.ErrNoBody) || at != 5 {
			t.Errorf("got version %v and error %v, want 5 and ErrNoBody", at, err)
		}
	})
}
