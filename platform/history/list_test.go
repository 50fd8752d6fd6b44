package history_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
)

// place holds the values that determine the order of a list.
type place struct {
	at   time.Time
	id   int64
	name string
}

func sorted(all []place, order history.Order) (names []string) {
	slices.SortFunc(all, func(x, y place) int {
		c := x.at.Compare(y.at)
		if c == 0 {
			c = int(x.id - y.id)
		}
		if order == history.NewestFirst {
			c = -c
		}
		return c
	})
	for _, p := range all {
		names = append(names, p.name)
	}
	return names
}

// readAll reads all pages of a list.
func readAll[T any](t *rapid.T, ctx context.Context, p history.Paging, list func(context.Context, history.Paging) (history.Page[T], error), name func(T) string) (names []string) {
	for item, err := range history.All(ctx, p, func(ctx context.Context, p history.Paging) (history.Page[T], error) {
		page, err := list(ctx, p)
		if len(page.Items) > p.Limit {
			t.Fatalf("got a page of %d with %d items", p.Limit, len(page.Items))
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

// TestListsAgainstModel compares the pages of a list with the result of a filter in memory:
// every row once and in order. The limits are so low that a list takes many requests.
func TestListsAgainstModel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		ctx := t.Context()
		modeltest.Check(t, func(t *rapid.T) {
			clearObjects(t, ctx, db)
			if err := write(ctx, db, drawRevisions(t)); err != nil {
				t.Fatal(err)
			}
			everything := readTables(t, ctx, db)
			for range 5 {
				f, matches := drawFilter(t)
				p := history.Paging{Limit: rapid.IntRange(1, 8).Draw(t, "limit"), Order: rapid.SampledFrom([]history.Order{history.NewestFirst, history.OldestFirst}).Draw(t, "order")}
				h := history.New(db).WithLimits(rapid.IntRange(1, 100).Draw(t, "rows"), rapid.IntRange(1, 10).Draw(t, "entries"))
				wantObjects, wantTransitions := everything.list(f, matches)
				transitions := readAll(t, ctx, p, func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
					return h.ListTransitions(ctx, f, p)
				},
					func(c history.Change) string { return fmt.Sprint(c.Object.UID, " ", c.Version) })
				objects := readAll(t, ctx, p, func(ctx context.Context, p history.Paging) (history.Page[history.Object], error) {
					return h.ListObjects(ctx, f, p)
				},
					func(o history.Object) string { return o.UID })
				if want := sorted(wantTransitions, p.Order); !slices.Equal(transitions, want) {
					t.Fatalf("transitions of %+v\n got %q\nwant %q", f, transitions, want)
				}
				if want := sorted(wantObjects, p.Order); !slices.Equal(objects, want) {
					t.Fatalf("objects of %+v\n got %q\nwant %q", f, objects, want)
				}
			}
		})
	})
}

// clearObjects deletes everything except clusters and types.
func clearObjects(t *rapid.T, ctx context.Context, db *sqldb.DB) {
	for _, table := range []string{"transitions", "revisions", "labels", "jobs", "job_parts", "open_parts", model.IndexTable, "objects"} {
		if err := db.Transact(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.Exec(ctx, "DELETE FROM "+table)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// content is everything in the tables.
type content struct {
	objects     []history.Object
	labels      map[int64]map[string]string // by object
	transitions map[int64][]placedState     // by object
}

type placedState struct {
	place
	state string
}

// list returns the objects and the transitions that match a filter.
func (c *content) list(f history.Filter, matches func(history.Object, map[string]string) bool) (objects, transitions []place) {
	in := func(at time.Time, st string) bool {
		return (f.States == nil || slices.Contains(f.States, job.State(st))) && !at.Before(f.Since) && (f.Until.IsZero() || at.Before(f.Until))
	}
	for _, o := range c.objects {
		if !matches(o, c.labels[o.ID]) {
			continue
		}
		if in(o.Since, o.State) {
			objects = append(objects, place{o.Since, o.ID, o.UID})
		}
		for _, t := range c.transitions[o.ID] {
			if in(t.at, t.state) {
				transitions = append(transitions, t.place)
			}
		}
	}
	return objects, transitions
}

// readTables reads the tables without filters.
func readTables(t *rapid.T, ctx context.Context, db *sqldb.DB) *content {
	c := &content{labels: map[int64]map[string]string{}, transitions: map[int64][]placedState{}}
	uids := map[int64]string{}
	query := func(text string, each func(*sql.Rows) error) {
		if err := db.Query(ctx, text, nil, each); err != nil {
			t.Fatal(err)
		}
	}
	query("SELECT o.id, o.uid, c.name, c.uid, r.api_group, r.name, o.namespace, o.owner_uid, o.owner_kind, o.owner_name, o.queue, o.submitter, o.state, o.since"+
		" FROM objects o JOIN clusters c ON c.id = o.cluster_id JOIN resources r ON r.id = o.resource_id", func(rows *sql.Rows) error {
		var o history.Object
		var since int64
		err := rows.Scan(&o.ID, &o.UID, &o.Cluster, &o.ClusterUID, &o.Type.Group, &o.Type.Resource, &o.Namespace, &o.Owner.UID, &o.Owner.Kind, &o.Owner.Name, &o.Queue, &o.Submitter, &o.State, &since)
		o.Since = time.UnixMicro(since)
		c.objects, uids[o.ID], c.labels[o.ID] = append(c.objects, o), o.UID, map[string]string{}
		return err
	})
	query("SELECT object_id, name, value FROM labels", func(rows *sql.Rows) error {
		var id int64
		var name, value string
		err := rows.Scan(&id, &name, &value)
		c.labels[id][name] = value
		return err
	})
	query("SELECT id, object_id, version, to_state, happened_at FROM transitions", func(rows *sql.Rows) error {
		var object, version, at int64
		var p placedState
		err := rows.Scan(&p.id, &object, &version, &p.state, &at)
		p.at, p.name = time.UnixMicro(at), fmt.Sprint(uids[object], " ", version)
		c.transitions[object] = append(c.transitions[object], p)
		return err
	})
	return c
}

// TestCursor: a list refuses cursors that no page has returned, and those of the other order.
func TestCursor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		h := history.New(db)
		if err := write(t.Context(), db, []revision{
			{Cluster: 1, Resource: 1, UID: "a", Version: 1, State: job.Queued, Seen: begin},
			{Cluster: 1, Resource: 1, UID: "a", Version: 2, State: job.Running, Seen: begin},
		}); err != nil {
			t.Fatal(err)
		}
		page, err := h.ListTransitions(t.Context(), history.Filter{}, history.Paging{Limit: 1})
		if err != nil || len(page.Items) != 1 || page.Items[0].To != "Running" || page.Next == "" {
			t.Fatalf("got %+v and error %v, want one transition to Running and a cursor", page, err)
		}
		for _, p := range []history.Paging{{After: page.Next, Order: history.OldestFirst}, {After: "x"}, {After: page.Next + "A"}, {After: history.Cursor(strings.Repeat("9", 50))}} {
			if _, err := h.ListTransitions(t.Context(), history.Filter{}, p); !errors.Is(err, history.ErrCursor) {
				t.Errorf("paging %+v: got %v, want ErrCursor", p, err)
			}
			if _, err := h.Transitions(t.Context(), page.Items[0].Object.ID, p); !errors.Is(err, history.ErrCursor) {
				t.Errorf("transitions of one object, %+v: %v", p, err)
			}
		}
		if _, err := h.ListObjects(t.Context(), history.Filter{States: []job.State{"Dancing"}}, history.Paging{}); err == nil || !strings.Contains(err.Error(), "Dancing") {
			t.Errorf("an unknown state: %v", err)
		}
	})
}
