package history

import (
	"cmp"
	"context"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// maxOwners is the maximum length of the chain of owners between a pod and its job.
const maxOwners = 4

// podFinder finds the recorded pods of some jobs: pods that a job controls, pods that an
// object in between controls, and pods with the labels by which operators mark them.
type podFinder struct {
	db    *sqldb.DB
	most  int
	jobs  map[int64]*Object // by ID
	uids  map[string]int64  // jobs by their UID, and by the UIDs of the objects that they control
	marks map[Label][]int64 // jobs by the label of their pods
	seen  map[int64]bool
	pods  map[int64][]Object // by job
}

// podsOfJobs returns the pods of jobs by the IDs of the jobs, newest first. It reads at
// most most index entries in each step.
func podsOfJobs(ctx context.Context, db *sqldb.DB, jobs []Object, most int) (map[int64][]Object, error) {
	f := &podFinder{db: db, most: most, jobs: map[int64]*Object{}, uids: map[string]int64{}, marks: map[Label][]int64{}, seen: map[int64]bool{}, pods: map[int64][]Object{}}
	ids := make([]int64, len(jobs))
	for i := range jobs {
		j := &jobs[i]
		f.jobs[j.ID], f.uids[j.UID], ids[i] = j, j.ID, j.ID
	}
	facts, err := model.FactsOf(ctx, db, ids)
	if err != nil {
		return nil, err
	}
	for id, of := range facts {
		if of != nil && of.PodLabel != "" {
			l := Label{of.PodLabel, of.PodLabelValue}
			f.marks[l] = append(f.marks[l], id)
		}
	}
	terms := make([]model.Term, 0, len(f.uids)+len(f.marks))
	for uid := range f.uids {
		terms = append(terms, model.OwnedByUID(uid).Terms[0])
	}
	for l := range f.marks {
		terms = append(terms, model.Labeled(l.Name, l.Value).Terms[0])
	}
	for range maxOwners {
		if len(terms) == 0 {
			break
		}
		if terms, err = f.step(ctx, terms); err != nil {
			return nil, err
		}
	}
	for _, pods := range f.pods {
		slices.SortFunc(pods, func(x, y Object) int { return cmp.Or(y.Created.Compare(x.Created), cmp.Compare(y.ID, x.ID)) })
	}
	return f.pods, nil
}

// bodiesOf returns the last bodies of objects by their IDs.
func bodiesOf(ctx context.Context, db *sqldb.DB, reader *bodies.Reader, objects []*Object) (map[int64][]byte, error) {
	var ids []model.RevisionID
	for _, o := range objects {
		ids = append(ids, model.RevisionID{Object: o.ID, Version: o.Version})
	}
	texts, err := reader.ReadMany(ctx, db, ids)
	return texts, db.Explain(err)
}

// step reads the objects with some terms. It returns the terms of the objects that they
// control.
func (f *podFinder) step(ctx context.Context, terms []model.Term) ([]model.Term, error) {
	slices.Sort(terms)
	ids, err := model.ObjectsWithTerms(ctx, f.db, slices.Compact(terms), f.most)
	if err != nil {
		return nil, err
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool { return f.seen[id] })
	objects, err := objectsByID(ctx, f.db, ids)
	if err != nil {
		return nil, err
	}
	var labels map[int64]map[string]string
	if len(f.marks) > 0 {
		if labels, err = model.LabelsOf(ctx, f.db, ids); err != nil {
			return nil, err
		}
	}
	var next []model.Term
	for i := range objects {
		o := &objects[i]
		job, found := f.jobOf(o, labels[o.ID])
		if !found {
			continue
		}
		f.seen[o.ID] = true
		if o.Type.Group == "" && o.Type.Resource == "pods" {
			f.pods[job] = append(f.pods[job], *o)
		} else if f.jobs[o.ID] == nil {
			f.uids[o.UID] = job
			next = append(next, model.OwnedByUID(o.UID).Terms[0])
		}
	}
	return next, nil
}

// jobOf returns the job of an object. A label counts within the namespace of the job.
func (f *podFinder) jobOf(o *Object, labels map[string]string) (int64, bool) {
	if o.Owner.UID != "" {
		if id, ok := f.uids[o.Owner.UID]; ok && f.jobs[id].ClusterUID == o.ClusterUID {
			return id, true
		}
	}
	if o.Type.Group != "" || o.Type.Resource != "pods" {
		return 0, false
	}
	for name, value := range labels {
		for _, id := range f.marks[Label{name, value}] {
			if j := f.jobs[id]; j.ClusterUID == o.ClusterUID && j.Namespace == o.Namespace && !o.Created.Before(j.Created) {
				return id, true
			}
		}
	}
	return 0, false
}
