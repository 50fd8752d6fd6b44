package batch_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
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
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	os.Exit(code)
}

// scoped is an observation with its scope.
type scoped struct {
	observe.Observation
	scope model.Scope
}

// drawObservations draws observations of a few objects, with many equal times, changing
// labels and queues, and late revisions.
func drawObservations(t *rapid.T) (all []scoped) {
	one := func(what string, values ...string) string { return rapid.SampledFrom(values).Draw(t, what) }
	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	version := wire.Version(1)
	for i := range rapid.IntRange(1, 12).Draw(t, "objects") {
		o := scoped{
			scope: model.Scope{Cluster: int64(rapid.IntRange(1, 2).Draw(t, "cluster")), Resource: int64(rapid.IntRange(1, 2).Draw(t, "type"))},
			Observation: observe.Observation{
				UID: fmt.Sprint("uid-", i), Namespace: one("namespace", "", "ml", "web"), Name: one("name", "x", "y"), Source: model.Watched, Body: []byte("{}"),
				Queue: one("queue", "", "gpu", "cpu"), Submitter: one("user", "", "ann", "bob"),
			},
		}
		if owner := one("owner", "", "o", "p"); owner != "" {
			o.Owner = model.Owner{UID: "uid-" + owner, Kind: "Job", Name: owner}
		}
		at := begin.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * 20 * time.Minute)
		for range rapid.IntRange(1, 6).Draw(t, "revisions") {
			version++
			at = at.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "later")) * 30 * time.Minute)
			o.Version, o.Seen = version, at
			o.First = rapid.Bool().Draw(t, "first") // it may be wrong
			o.Status.State = rapid.SampledFrom([]job.State{job.Queued, job.Running, job.Failed, "", job.Running}).Draw(t, "state")
			o.Labels = map[string]string{"app": "train", "team": one("team", "x", "y")}
			if rapid.IntRange(0, 5).Draw(t, "requeued") == 0 {
				o.Queue = one("queue", "gpu", "cpu")
			}
			all = append(all, o)
		}
		if rapid.Bool().Draw(t, "deleted") {
			version++
			o.Version, o.Status.State, o.Deleted = version, job.Deleted, true
			if version%2 == 0 {
				o.Body = nil // the deletion is inferred
			}
			all = append(all, o)
		}
	}
	for i := range all { // some are late
		if j := rapid.IntRange(0, len(all)-1).Draw(t, "late"); rapid.IntRange(0, 9).Draw(t, "is late") == 0 {
			all[i], all[j] = all[j], all[i]
		}
	}
	return all
}

// TestIndexAgainstModel checks that the transition index has an entry for each term of an
// object and each hour with a transition of the object, in whatever order revisions arrive.
func TestIndexAgainstModel(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := modeltest.Open(t, url)
		err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			if _, err := model.EnsureCluster(t.Context(), tx, "uid-b", "b", time.Time{}); err != nil {
				return err
			}
			_, err := model.EnsureResource(t.Context(), tx, model.Type{Resource: "pods", Kind: "Pod"})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		modeltest.Check(t, func(t *rapid.T) {
			d.Clear()
			for _, o := range drawObservations(t) {
				writeScoped(t, d.DB, o)
			}
			checkIndex(t, d.DB)
		})
	})
}

func writeScoped(t *rapid.T, db *sqldb.DB, o scoped) {
	err := db.Transact(context.Background(), func(tx *sqldb.Tx) error {
		_, err := batch.Write(context.Background(), tx, o.scope, bodies.NewEncoder(o.scope.Resource, 1<<20), []observe.Observation{o.Observation})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkIndex(t *rapid.T, db *sqldb.DB) {
	ctx := context.Background()
	entries := map[model.IndexEntry]bool{}
	err := db.Query(ctx, "SELECT term, hour, object_id FROM "+model.IndexTable, nil, func(rows *sql.Rows) error {
		var e model.IndexEntry
		err := rows.Scan(&e.Term, &e.Hour, &e.Object)
		entries[e] = true
		return err
	})
	var objects []int64
	if err == nil {
		err = db.Query(ctx, "SELECT id FROM objects", nil, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			objects = append(objects, id)
			return err
		})
	}
	for _, id := range objects {
		terms, failed := model.StoredTerms(ctx, db, id)
		hours, alsoFailed := model.TransitionHours(ctx, db, id)
		if failed != nil || alsoFailed != nil {
			t.Fatalf("object %d: terms failed with %v, hours with %v", id, failed, alsoFailed)
		}
		for _, term := range terms {
			for _, hour := range hours {
				if !entries[model.IndexEntry{Term: term, Hour: hour, Object: id}] {
					t.Fatalf("object %d has no entry for term %d in hour %d; want hours %v", id, term, hour, hours)
				}
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
