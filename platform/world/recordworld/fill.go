package recordworld

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/indextest"
	"github.com/vedette-io/vedette/wire"
)

// Config describes the history to write.
type Config struct {
	Seed uint64
	Jobs int
	// Now is the end of the history. The jobs were submitted within the 30 days before Now.
	Now time.Time
	// Progress is called after each transaction. It may be nil.
	Progress func(jobs int)
}

// jobsAtOnce is the number of jobs in a transaction.
const jobsAtOnce = 4000

// Fill writes a history to an empty database with the current schema. Each job has about
// five transitions.
//
// Errors: the database is not empty; those of the database.
func Fill(ctx context.Context, db *sqldb.DB, c Config) error {
	last, err := model.LastObject(ctx, db)
	if err != nil {
		return fmt.Errorf("table objects: %w", err)
	}
	if last != 0 {
		return fmt.Errorf("the database has objects up to ID %d; use an empty one", last)
	}
	p, err := placesOf(ctx, db, c.Now)
	if err != nil {
		return err
	}
	w := indextest.NewWorld(c.Seed, c.Jobs, c.Now)
	id := int64(0)
	for from := 0; from < c.Jobs; from += jobsAtOnce {
		to := min(from+jobsAtOnce, c.Jobs)
		b := batch{parts: map[int64]int64{}}
		var pods []member
		for i := from; i < to; i++ {
			j := w.Job(i)
			id++
			job := id
			m := memberOf(&j, p)
			b.add(&m, id, false)
			for _, pod := range podsOf(&j, i) {
				pod.Cluster, pod.Resource, pod.job = m.Cluster, p.pods, job
				pods = append(pods, pod)
			}
		}
		for i := range pods {
			id++
			b.add(&pods[i], id, true)
		}
		if err := db.Transact(ctx, func(tx *sqldb.Tx) error { return b.store(ctx, tx) }); err != nil {
			return err
		}
		if c.Progress != nil {
			c.Progress(to)
		}
	}
	if last, err = model.LastObject(ctx, db); err == nil && last != id {
		err = fmt.Errorf("the last object has the ID %d, want %d: the database did not assign IDs in order", last, id)
	}
	if err != nil {
		return err
	}
	return settle(ctx, db)
}

// placesOf writes clusters, types and coverage.
func placesOf(ctx context.Context, db *sqldb.DB, now time.Time) (places, error) {
	p := places{clusters: map[string]int64{}, resources: map[string]int64{}}
	err := db.Transact(ctx, func(tx *sqldb.Tx) (err error) {
		jobs := kinds()
		for _, name := range slices.Sorted(maps.Keys(jobs)) {
			resource, group := job.SplitType(name)
			if p.resources[name], err = model.EnsureResource(ctx, tx, model.Type{Group: group, Resource: resource, Kind: jobs[name]}); err != nil {
				return err
			}
		}
		if p.pods, err = model.EnsureResource(ctx, tx, model.Type{Resource: "pods", Kind: "Pod"}); err != nil {
			return err
		}
		for number, uid := range []string{"0c0ffee0-0000-4000-8000-000000000001", "0c0ffee0-0000-4000-8000-000000000002"} {
			name := fmt.Sprint("cluster-", number+1)
			if p.clusters[name], err = model.EnsureCluster(ctx, tx, uid, name, now); err != nil {
				return err
			}
			for _, resource := range append(slices.Sorted(maps.Values(p.resources)), p.pods) {
				s := model.Scope{Cluster: p.clusters[name], Resource: resource}
				begun, err := model.BeginCoverage(ctx, tx, s, "recorder", 1, 0, now.Add(-indextest.Days*24*time.Hour))
				if err == nil {
					err = model.ExtendCoverage(ctx, tx, &begun, wire.Version(1<<40), now)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	return p, err
}

// kinds returns the types of jobs of worlds, with their kinds.
func kinds() map[string]string {
	return map[string]string{"jobs.batch": "Job", "pytorchjobs.kubeflow.org": "PyTorchJob", "rayjobs.ray.io": "RayJob", "jobs.batch.volcano.sh": "Job"}
}

// settle makes the server gather statistics, which it would otherwise do within a minute or
// two.
func settle(ctx context.Context, db *sqldb.DB) error {
	var statements []string
	switch url := db.String(); {
	case strings.HasPrefix(url, "postgres"):
		statements = []string{"VACUUM ANALYZE"}
	case strings.HasPrefix(url, "mysql"):
		statements = []string{"ANALYZE TABLE objects, transitions, revisions, labels, jobs, job_parts, transition_index"}
	default:
		statements = []string{"PRAGMA wal_checkpoint(TRUNCATE)"}
	}
	for _, text := range statements {
		if _, err := db.SQL().ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}
