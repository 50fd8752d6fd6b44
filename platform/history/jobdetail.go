package history

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// detailer adds values from other tables to rows of jobs. It runs a fixed number of queries
// for any number of rows.
type detailer struct {
	db      *sqldb.DB
	reader  *bodies.Reader
	jobs    []Job
	objects []Object // of the jobs
	ids     []int64
	now     time.Time
}

// jobsAtOnce is the maximum number of rows for one detailer. It limits the bodies in
// memory.
const jobsAtOnce = 200

// addDetails adds all details to the rows of jobs. objects are the objects of the jobs.
func addDetails(ctx context.Context, db *sqldb.DB, reader *bodies.Reader, jobs []Job, objects []Object, now time.Time) error {
	for len(jobs) > 0 {
		n := min(jobsAtOnce, len(jobs))
		d := &detailer{db: db, reader: reader, jobs: jobs[:n], objects: objects[:n], now: now}
		for i := range d.jobs {
			d.ids = append(d.ids, d.jobs[i].ID)
		}
		for _, add := range []func(context.Context) error{d.lives, d.facts, d.nodes} {
			if err := add(ctx); err != nil {
				return err
			}
		}
		jobs, objects = jobs[n:], objects[n:]
	}
	return nil
}

// lives adds the lives of the jobs, with their gaps.
func (d *detailer) lives(ctx context.Context) error {
	all, err := livesOf(ctx, d.db, d.objects, instant{at: d.now})
	for i := range d.jobs {
		d.jobs[i].Live(all[d.jobs[i].ID])
	}
	return err
}

// facts adds the facts of the jobs.
func (d *detailer) facts(ctx context.Context) error {
	all, err := model.FactsOf(ctx, d.db, d.ids)
	for i := range d.jobs {
		if f := all[d.jobs[i].ID]; f != nil {
			d.jobs[i].Describe(f)
		}
	}
	return d.db.Explain(err)
}

// maxPods is the maximum number of parts of jobs that are read for the nodes of a page.
const maxPods = 2000

// nodes adds the nodes on which pods of the jobs run or ran last.
func (d *detailer) nodes(ctx context.Context) error {
	byID := map[int64]*Job{}
	var with []Object
	for i := range d.jobs {
		j := &d.jobs[i]
		if s := job.State(j.State); s == job.Running || s == job.Starting || s == job.Succeeded {
			byID[j.ID], with = j, append(with, d.objects[i])
		}
	}
	pods, err := podsOfJobs(ctx, d.db, with, maxPods)
	if err != nil {
		return err
	}
	of := map[int64]*Job{} // jobs by their newest pod
	var newest []model.RevisionID
	for id, all := range pods {
		all = slices.DeleteFunc(all, func(o Object) bool { return o.State == string(job.Queued) })
		if len(all) == 0 {
			continue
		}
		last := slices.MaxFunc(all, func(x, y Object) int { return cmp.Or(x.Since.Compare(y.Since), cmp.Compare(x.ID, y.ID)) })
		of[last.ID], newest = byID[id], append(newest, model.RevisionID{Object: last.ID, Version: last.Version})
	}
	texts, err := d.reader.ReadMany(ctx, d.db, newest)
	for id, j := range of {
		j.Node = job.ParseObject(texts[id]).Text("spec", "nodeName")
	}
	return d.db.Explain(err)
}
