package batch_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
)

// allColumns selects everything about an object except its row ID.
const allColumns = "SELECT uid, cluster_id, resource_id, namespace, name, owner_uid, owner_kind, owner_name, queue, submitter, created_at, seen_at," +
	" presence, deleted_at, version, state, raw_state, reason, message, since, attributes_hash, selector_hash, keyframe_version, deltas FROM objects ORDER BY cluster_id, resource_id, uid"

// TestNewObjects checks that an object that is inserted with its first revision has the same
// columns as an object that is inserted without a revision and then updated.
func TestNewObjects(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := modeltest.Open(t, url)
		modeltest.Check(t, func(t *rapid.T) {
			d.Clear()
			all := drawObservations(t)
			for i := range all {
				o := &all[i]
				o.scope = d.Scope
				o.Status.Raw, o.Status.Reason, o.Status.Message = "raw", "reason", "message"
				o.Created = o.Seen.Add(-time.Hour)
				if rapid.IntRange(0, 9).Draw(t, "invalid") == 0 && !o.Deleted {
					o.Invalid = context.Canceled
				}
			}
			several := rapid.Bool().Draw(t, "in one batch")
			writeAll(t, d.DB, d.Scope, all, several)
			got := d.Rows(allColumns)
			d.Clear()
			insertEmpty(t, d.DB, d.Scope, all)
			writeAll(t, d.DB, d.Scope, all, several)
			if want := d.Rows(allColumns); !slices.Equal(got, want) {
				t.Fatalf("\n got %q\nwant %q", got, want)
			}
		})
	})
}

// writeAll writes observations in one batch, or each in its own batch.
func writeAll(t *rapid.T, db *sqldb.DB, s model.Scope, all []scoped, several bool) {
	if !several {
		for _, o := range all {
			writeScoped(t, db, o)
		}
		return
	}
	var some []observe.Observation
	for i := range all {
		some = append(some, all[i].Observation)
	}
	err := db.Transact(context.Background(), func(tx *sqldb.Tx) error {
		_, err := batch.Write(context.Background(), tx, s, bodies.NewEncoder(s.Resource, 1<<20), some)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// insertEmpty inserts the objects of observations without a revision.
func insertEmpty(t *rapid.T, db *sqldb.DB, s model.Scope, all []scoped) {
	rows := map[string]model.NewObject{}
	for i := range all {
		o := &all[i]
		if _, found := rows[o.UID]; !found {
			rows[o.UID] = model.NewObject{
				Attributes: o.Attributes(s), Name: o.Name, UID: o.UID, CreatedAt: model.Micros(o.Created), SeenAt: model.Micros(o.Seen),
				ObjectUpdate: model.ObjectUpdate{Selectors: s.Selectors},
			}
		}
	}
	err := db.Transact(context.Background(), func(tx *sqldb.Tx) error {
		for _, row := range rows {
			if err := model.InsertObjects(context.Background(), tx, []model.NewObject{row}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestInsertedByAnother checks that a batch continues if another recorder inserts an object
// after the batch has not found it, or which the batch takes for a new one.
func TestInsertedByAnother(t *testing.T) {
	for _, first := range []bool{false, true} {
		t.Run(fmt.Sprint("first ", first), func(t *testing.T) { insertedByAnother(t, first) })
	}
}

func insertedByAnother(t *testing.T, first bool) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := modeltest.Open(t, url)
		seen := time.Unix(1_700_000_000, 0)
		one := observe.Observation{UID: "one", Namespace: "ml", Name: "one", Version: 5, Source: model.Watched, Seen: seen, Status: job.Status{State: job.Running}, Body: []byte("{}"), First: first}
		two := one
		two.UID, two.Name = "two", "two"
		write := func(hold func(), all ...observe.Observation) (r batch.Written, err error) {
			err = d.Transact(t.Context(), func(tx *sqldb.Tx) error {
				r, err = batch.Write(t.Context(), tx, d.Scope, bodies.NewEncoder(d.Scope.Resource, 1<<20), all)
				hold()
				return err
			})
			return r, err
		}
		written, release := make(chan struct{}), make(chan struct{})
		var work sync.WaitGroup
		work.Go(func() {
			_, err := write(func() {
				close(written)
				<-release
			}, one)
			if err != nil {
				t.Error(err)
			}
		})
		<-written
		work.Go(func() { // no row is visible, but the insertion waits
			r, err := write(func() {}, one, two)
			if err != nil || r.Revisions != 1 || r.Duplicates != 1 {
				t.Errorf("got %+v, %v, want one revision and one duplicate", r.Result, err)
			}
		})
		dbtest.Blocked(t, url, nil)
		close(release)
		work.Wait()
		d.Want("SELECT uid, version, state, keyframe_version FROM objects ORDER BY uid", "one 5 Running 5", "two 5 Running 5")
		d.Want("SELECT COUNT(*) FROM transitions", "2")
	})
}
