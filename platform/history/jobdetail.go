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
	pods    map[model.Term]*Job // by the terms of the pods of a job
}

// jobsAtOnce is the maximum number of rows for one detailer. It limits the bodies in
// memory.
const jobsAtOnce = 200

// addDetails adds all details to the rows of jobs. objects are the objects of the jobs.
func addDetails(ctx context.Context, db *sqldb.DB, reader *bodies.Reader, jobs []Job, objects []Object, now time.Time) error {
	for len(jobs) > 0 {
		n := min(jobsAtOnce, len(jobs))
		d := &detailer{db: db, reader: reader, jobs: jobs[:n], objects: objects[:n], now: now, pods: map[model.Term]*Job{}}
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

// facts adds the facts of the jobs, and determines how to find their pods.
func (d *detailer) facts(ctx context.Context) error {
	all, err := model.FactsOf(ctx, d.db, d.ids)
	if err != nil {
		return d.db.Explain(err)
	}
	for i := range d.jobs {
		j := &d.jobs[i]
		find := model.OwnedByUID(j.UID)
		if f := all[j.ID]; f != nil {
			j.Describe(f)
			if f.PodLabel != "" {
				find = model.Labeled(f.PodLabel, f.PodLabelValue)
			}
		}
		if s := job.State(j.State); s == job.Running || s == job.Starting || s == job.Succeeded {
			d.pods[find.Terms[0]] = j
		}
	}
	return nil
}

// maxPods is the maximum number of index entries of pods for the nodes of a page.
const maxPods = 2000

// nodes adds the nodes on which pods of the jobs run or ran last.
func (d *detailer) nodes(ctx context.Context) error {
	if len(d.pods) == 0 {
		return nil
	}
	var terms []model.Term
	for t := range d.pods {
		terms = append(terms, t)
	}
	slices.Sort(terms)
	ids, err := model.ObjectsWithTerms(ctx, d.db, terms, maxPods)
	if err != nil {
		return err
	}
	objects, err := objectsByID(ctx, d.db, ids)
	if err != nil {
		return err
	}
	objects = slices.DeleteFunc(objects, func(o Object) bool {
		return o.Type.Group != "" || o.Type.Resource != "pods" || o.State == string(job.Queued)
	})
	labels, err := d.labels(ctx, objects)
	if err != nil {
		return err
	}
	slices.SortFunc(objects, func(x, y Object) int { return cmp.Or(y.Since.Compare(x.Since), cmp.Compare(y.ID, x.ID)) })
	of := map[int64]*Job{} // jobs by their newest pod
	var newest []model.RevisionID
	for i := range objects {
		o := &objects[i]
		if j := d.jobOf(o, labels[o.ID]); j != nil && j.Node == "" {
			j.Node = "?"
			of[o.ID], newest = j, append(newest, model.RevisionID{Object: o.ID, Version: o.Version})
		}
	}
	texts, err := d.reader.ReadMany(ctx, d.db, newest)
	for id, j := range of {
		j.Node = job.ParseObject(texts[id]).Text("spec", "nodeName")
	}
	return d.db.Explain(err)
}

// labels returns the labels of pods, if any job finds its pods by labels.
func (d *detailer) labels(ctx context.Context, pods []Object) (map[int64]map[string]string, error) {
	byUID := true
	for term, j := range d.pods {
		byUID = byUID && term == model.OwnedByUID(j.UID).Terms[0]
	}
	if byUID {
		return nil, nil
	}
	var ids []int64
	for i := range pods {
		ids = append(ids, pods[i].ID)
	}
	return model.LabelsOf(ctx, d.db, ids)
}

// jobOf returns the row of the job of a pod, or nil if the job has no row.
func (d *detailer) jobOf(pod *Object, labels map[string]string) *Job {
	if j := d.pods[model.OwnedByUID(pod.Owner.UID).Terms[0]]; j != nil && j.UID == pod.Owner.UID {
		return j
	}
	for name, value := range labels {
		if j := d.pods[model.Labeled(name, value).Terms[0]]; j != nil && j.ClusterUID == pod.ClusterUID && j.Namespace == pod.Namespace {
			return j
		}
	}
	return nil
}
