package cookbook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
)

func recordJobs(ctx context.Context, cluster *kube.Cluster, url string) error {
	db, err := sqldb.Open(ctx, url) // "mysql://…", "postgres://…" or "sqlite:…"
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Migrate(ctx); err != nil {
		return err
	}
	recorder, err := record.New(db, record.Config{Cluster: cluster, Targets: []record.Target{{Type: "jobs.batch"}, {Type: "pods"}}})
	if err != nil {
		return err
	}
	return recorder.Run(ctx)
}

func readHistory(ctx context.Context, db *sqldb.DB) error {
	jobs := history.Filter{Namespace: "ml", Types: []history.Type{{Group: "batch", Resource: "jobs"}}}
	page, err := history.New(db).ListTransitions(ctx, jobs, history.Paging{Order: history.OldestFirst})
	if err != nil {
		return err
	}
	for _, change := range page.Items {
		fmt.Println(change.Object.Name, change.From, "->", change.To)
	}
	return nil
}

func actOnEachTransition(ctx context.Context, db *sqldb.DB, act func(feed.Transition) error) error {
	return feed.Consume(ctx, db, "billing", func(_ context.Context, _ *sqldb.Tx, some []feed.Transition) error {
		for _, t := range some { // an error, or a crash: the same transitions again
			if err := act(t); err != nil {
				return err
			}
		}
		return nil // the cursor "billing" commits together with writes in the transaction
	})
}

// recorded records while f runs.
func recorded(k kitchen, f func(context.Context, *sqldb.DB) error) error {
	dir, err := os.MkdirTemp("", "vedette")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	url := "sqlite:" + filepath.Join(dir, "history.db")
	ctx, stop := context.WithCancel(k.ctx)
	ended := make(chan error, 1)
	go func() { ended <- recordJobs(ctx, k.cluster, url) }()
	db, err := sqldb.Open(ctx, url)
	if err == nil {
		defer db.Close()
		if _, err = db.Migrate(ctx); err == nil {
			err = f(ctx, db)
		}
	}
	stop()
	return errors.Join(err, <-ended)
}

func Example_recordJobs() {
	cook(func(k kitchen) error {
		return recorded(k, func(ctx context.Context, db *sqldb.DB) error {
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			one := int32(1)
			next := []batchv1.JobStatus{
				{Active: 1, Ready: &one},
				{Succeeded: 1, Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}},
			}
			err := actOnEachTransition(ctx, db, func(t feed.Transition) error {
				fmt.Println("feed:", t.Object.Name, t.To)
				if len(next) == 0 {
					stop()
					return nil
				}
				_, err := apitest.Modify(k.server, newJob("train"), func(j *batchv1.Job) { j.Status = next[0] })
				next = next[1:]
				return err
			})
			return errors.Join(err, readHistory(k.ctx, db))
		})
	}, newJob("train"))
	// Output:
	// feed: train Submitted
	// feed: train Running
	// feed: train Succeeded
	// train  -> Submitted
	// train Submitted -> Running
	// train Running -> Succeeded
}
