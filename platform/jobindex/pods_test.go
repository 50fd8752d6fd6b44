package jobindex_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/internal/parts"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// TestPodsChangeJob: a change that only the pods of a job show changes its row and is reported, also
// if it is no transition of a pod: another reason, a presence, or a pod that a sweep links.
func TestPodsChangeJob(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		db := modeltest.Open(t, url)
		pods := db.Scope
		transact := func(f func(context.Context, *sqldb.Tx) error) {
			t.Helper()
			if err := db.Transact(t.Context(), func(tx *sqldb.Tx) error { return f(t.Context(), tx) }); err != nil {
				t.Fatal(err)
			}
		}
		transact(func(ctx context.Context, tx *sqldb.Tx) (err error) {
			pods.Resource, err = model.EnsureResource(ctx, tx, model.Type{Resource: "pods", Kind: "Pod"})
			return err
		})
		pod := func(version wire.Version, s job.Status) {
			t.Helper()
			o := observe.Observation{
				UID: "pod", Namespace: "ml", Name: "pod", Version: version, Source: model.Watched, Seen: modeltest.Seen(version), Created: modeltest.Seen(1), Body: []byte("{}"), Status: s,
				Pod: true, Owner: model.Owner{UID: "a", Kind: "Job", Name: "job-a"},
			}
			transact(func(ctx context.Context, tx *sqldb.Tx) error {
				_, err := batch.Write(ctx, tx, pods, bodies.NewEncoder(pods.Resource, 1<<20), []observe.Observation{o})
				return err
			})
		}
		var reported []string
		x := jobindex.New(jobindex.Config{DB: db.DB, Changed: func(some []jobindex.Change) {
			for _, c := range some {
				if c.Kind == feed.Corrected {
					reported = append(reported, fmt.Sprint(c.Position, " ", c.Before, " ", c.Row.State, " ", c.Row.Reason, " ", len(c.Row.Life)))
				}
			}
		}})
		r := jobindex.NewRunner(x)
		want := func(change string) {
			t.Helper()
			reported = nil
			if err := r.Settle(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(reported); got != "["+change+"]" {
				t.Errorf("got the changes %s, want [%s]", got, change)
			}
		}
		put(t, db, "a", 1, job.Submitted)
		want("")
		pod(2, job.Status{State: job.Queued, At: time.Time{}})
		want("")
		pod(3, job.Status{State: job.Queued, Reason: "Unschedulable", Message: "no node"})
		want("3 Submitted Queued Unschedulable 2")
		pod(4, job.Status{State: job.Queued, Reason: "SchedulingGated", Message: "gates"})
		want("4 Queued Queued SchedulingGated 2")
		transact(func(ctx context.Context, tx *sqldb.Tx) error {
			return jobstatus.SetPresence(ctx, tx, pods, model.Present, model.Unknown)
		})
		want("5 Queued Submitted  1")
		transact(func(ctx context.Context, tx *sqldb.Tx) error {
			return jobstatus.SetPresence(ctx, tx, pods, model.Unknown, model.Present)
		})
		want("6 Submitted Queued SchedulingGated 2")
		db.Exec("DELETE FROM job_parts") // as if the pod and the job had been written at the same time
		db.Exec("INSERT INTO open_parts (object_id, owner_uid) SELECT id, owner_uid FROM objects WHERE uid = 'pod'")
		transact(func(ctx context.Context, tx *sqldb.Tx) error {
			ids, err := model.JobIDs(ctx, tx, 0, 10)
			if err != nil {
				return err
			}
			return jobstatus.Update(ctx, tx, ids)
		})
		want("7 Queued Submitted  1")
		var s parts.Sweeper
		if err := s.Sweep(t.Context(), db.DB); err != nil {
			t.Fatal(err)
		}
		want("8 Submitted Queued SchedulingGated 2")
	})
}
