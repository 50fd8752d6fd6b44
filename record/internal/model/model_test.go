package model_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// fixture is a database with one cluster and one type.
type fixture struct {
	*testing.T
	db    *sqldb.DB
	scope model.Scope
}

// each runs a test on an empty database of each kind.
func each(t *testing.T, test func(f *fixture)) {
	dbtest.Each(t, func(t *testing.T, url string) { test(open(t, url)) })
}

func open(t *testing.T, url string) *fixture {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, db: db}
	f.transact(func(ctx context.Context, tx *sqldb.Tx) (err error) {
		if f.scope.Cluster, err = model.EnsureCluster(ctx, tx, "uid-a", "a", time.Unix(1, 0)); err == nil {
			f.scope.Resource, err = model.EnsureResource(ctx, tx, model.Type{Group: "batch", Resource: "jobs", Kind: "Job"})
		}
		return err
	})
	return f
}

func (f *fixture) transact(do func(ctx context.Context, tx *sqldb.Tx) error) {
	f.Helper()
	if err := f.db.Transact(f.Context(), func(tx *sqldb.Tx) error { return do(f.Context(), tx) }); err != nil {
		f.Fatal(err)
	}
}

// count returns the number that a query selects.
func (f *fixture) count(query string) (n int) {
	f.Helper()
	if err := f.db.QueryRow(f.Context(), query).Scan(&n); err != nil {
		f.Fatalf("%s: %v", query, err)
	}
	return n
}

// revision is a revision of a test.
type revision struct {
	uid     string
	version wire.Version
	body    string
	deleted bool
}

// write stores revisions in one transaction, as a recorder does.
func (f *fixture) write(e *model.Encoder, all ...revision) {
	f.Helper()
	var batch *model.EncoderBatch
	f.transact(func(ctx context.Context, tx *sqldb.Tx) (err error) {
		objects := f.lock(ctx, tx, all)
		bodies := func(yield func([]byte) bool) {
			for _, r := range all {
				if !yield([]byte(r.body)) {
					return
				}
			}
		}
		existing := func(yield func(*model.Object) bool) {
			for _, o := range objects {
				if !yield(o) {
					return
				}
			}
		}
		if batch, err = e.Begin(ctx, tx, bodies, existing); err != nil {
			return err
		}
		var rows []model.Revision
		var updates []model.ObjectUpdate
		for _, r := range all {
			o := objects[r.uid]
			rows = append(rows, model.Revision{ObjectID: o.ID, Version: r.version, Deleted: r.deleted, Source: model.Watched, State: "Running", Body: batch.Encode(o, r.version, []byte(r.body))})
			if o.Version = r.version; r.deleted {
				o.Presence = model.Deleted
				batch.Drop(o.ID)
			}
		}
		for _, o := range objects {
			updates = append(updates, model.ObjectUpdate{ID: o.ID, Version: o.Version, Base: o.Base, Depth: o.Depth, ObjectStateColumns: model.ObjectStateColumns{Presence: o.Presence, State: "Running"}})
		}
		if err := model.InsertRevisions(ctx, tx, rows); err != nil {
			return err
		}
		return model.UpdateObjects(ctx, tx, updates, nil)
	})
	e.Commit(batch)
}

// lock inserts the objects of revisions and locks them.
func (f *fixture) lock(ctx context.Context, tx *sqldb.Tx, all []revision) map[string]*model.Object {
	f.Helper()
	var uids []string
	for _, r := range all {
		uids = append(uids, r.uid)
	}
	slices.Sort(uids)
	uids = slices.Compact(uids)
	var missing []model.NewObject
	for _, uid := range uids {
		o := model.NewObject{Attributes: model.Attributes{Cluster: f.scope.Cluster, Resource: f.scope.Resource, Namespace: "ml"}, Name: "job-" + uid, UID: uid}
		missing = append(missing, o)
	}
	if err := model.InsertObjects(ctx, tx, missing); err != nil {
		f.Fatal(err)
	}
	objects := map[string]*model.Object{}
	err := model.LockObjects(ctx, tx, f.scope.Cluster, f.scope.Resource, uids, func(o *model.Object) error {
		own := *o
		objects[o.UID] = &own
		return nil
	})
	if err != nil || len(objects) != len(uids) {
		f.Fatal(len(objects), err)
	}
	return objects
}

// body reads a body.
func (f *fixture) body(uid string, version wire.Version) (body []byte, err error) {
	f.Helper()
	f.transact(func(ctx context.Context, tx *sqldb.Tx) error {
		body, err = model.ReadBody(ctx, tx, f.lock(ctx, tx, []revision{{uid: uid}})[uid].ID, version)
		return nil
	})
	return body, err
}
