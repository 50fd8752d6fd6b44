package batch

import (
	"context"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/internal/parts"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// updater collects the changes of the rows of objects.
type updater struct {
	scope      model.Scope
	changed    []model.ObjectUpdate // objects with a changed state or presence
	same       []model.ObjectUpdate // objects with an unchanged state and presence
	attributes []model.AttributeUpdate
	relabeled  []int64 // objects whose stored labels are replaced
	labels     []model.Label
	jobs       []model.JobRow // of jobs that have no row yet
	facts      []model.JobRow // of jobs that may have a row
	disowned   []int64        // objects that belong to another job now
	linked     parts.Written  // the jobs of these rows, and new parts
	relinked   []int64        // jobs that have other parts now
}

// add collects the changes of an object with appended revisions.
func (u *updater) add(obj *lockedObject) {
	row := obj.row(u.scope)
	switch {
	case obj.inserted != nil && *obj.inserted == row: // the row has everything
	case obj.changed || obj.Presence != obj.before.Presence:
		u.changed = append(u.changed, row)
	default:
		u.same = append(u.same, row)
	}
	if row.AttributesHash != obj.AttributesHash {
		u.addAttributes(obj, obj.body)
		u.addJob(obj)
		u.addPart(obj)
	}
}

// addJob collects the row of a job. A body that cannot be decoded leaves the facts of the previous
// one.
func (u *updater) addJob(obj *lockedObject) {
	stored := obj.AttributesHash != 0
	if !obj.body.OfJob || stored && obj.facts == nil {
		return
	}
	if slices.Contains(job.Parents(), obj.body.Owner.Kind) {
		if stored {
			u.disowned = append(u.disowned, obj.ID)
		}
		return
	}
	row := model.JobRow{ObjectID: obj.ID, JobStatus: obj.status()}
	if obj.facts != nil {
		row.Facts = obj.facts.Facts
	}
	if stored {
		u.facts = append(u.facts, row)
	} else {
		u.jobs = append(u.jobs, row)
	}
	u.linked.Jobs = append(u.linked.Jobs, parts.Job{
		ID: obj.ID, Cluster: u.scope.Cluster, Namespace: obj.body.Namespace, UID: obj.UID, CreatedAt: model.Micros(obj.body.Created), Facts: row.Facts,
	})
}

// addPart collects an object that may belong to a job.
func (u *updater) addPart(obj *lockedObject) {
	o := obj.body
	if n := len(u.linked.Jobs); n > 0 && u.linked.Jobs[n-1].ID == obj.ID || o.Owner.UID == "" && !o.Pod {
		return
	}
	u.linked.Parts = append(u.linked.Parts, model.Part{
		ID: obj.ID, Cluster: u.scope.Cluster, Namespace: o.Namespace, UID: obj.UID, Owner: o.Owner, Labels: o.Labels, Pod: o.Pod, CreatedAt: model.Micros(o.Created),
	})
}

// addAttributes collects the changed labels and other attributes of an object.
func (u *updater) addAttributes(obj *lockedObject, o *observe.Observation) {
	if obj.AttributesHash != 0 {
		u.relabeled = append(u.relabeled, obj.ID)
	}
	if obj.before.Version > 0 || o != obj.first {
		obj.reindex = true // the new attributes apply to earlier transitions as well
		u.attributes = append(u.attributes, model.AttributeUpdate{ID: obj.ID, Owner: o.Owner, Queue: o.Queue, Submitter: o.Submitter})
	}
	for _, name := range slices.Sorted(maps.Keys(o.Labels)) {
		u.labels = append(u.labels, model.Label{ObjectID: obj.ID, Name: name, Value: o.Labels[name]})
	}
}

// write writes the collected changes.
func (u *updater) write(ctx context.Context, tx *sqldb.Tx) error {
	if err := model.UpdateObjects(ctx, tx, u.changed, u.same); err != nil {
		return err
	}
	if err := model.UpdateAttributes(ctx, tx, u.attributes); err != nil {
		return err
	}
	if err := model.DeleteLabels(ctx, tx, u.relabeled); err != nil {
		return err
	}
	if err := model.InsertLabels(ctx, tx, u.labels); err != nil {
		return err
	}
	if err := model.DeleteJobs(ctx, tx, u.disowned); err != nil {
		return err
	}
	if err := u.insertJobs(ctx, tx); err != nil {
		return err
	}
	relinked, err := parts.Link(ctx, tx, &u.linked)
	u.relinked = append(u.relinked, relinked...)
	return err
}

// insertJobs inserts the missing rows of jobs. A job whose facts have changed has a row, unless it
// belonged to another job before.
func (u *updater) insertJobs(ctx context.Context, tx *sqldb.Tx) error {
	missing := u.jobs
	if len(u.facts) > 0 {
		ids := make([]int64, len(u.facts))
		for i := range u.facts {
			ids[i] = u.facts[i].ObjectID
		}
		stored, err := model.FactsOf(ctx, tx, ids)
		if err != nil {
			return err
		}
		u.facts = slices.DeleteFunc(u.facts, func(row model.JobRow) bool {
			if _, found := stored[row.ObjectID]; found {
				return false
			}
			missing, u.relinked = append(missing, row), append(u.relinked, row.ObjectID)
			return true
		})
	}
	return model.InsertJobs(ctx, tx, missing)
}

// decide stores the places of changed pods, decides the statuses of the jobs of a batch, stores their changed facts, and returns the
// feed entries of the statuses. It locks rows of jobs, so it is the last change of rows of objects
// and jobs.
func (u *updater) decide(ctx context.Context, tx *sqldb.Tx, objects []*lockedObject) ([]model.FeedEntry, error) {
	jobs := u.relinked
	var pods []int64
	for _, obj := range objects {
		if obj.settled() {
			continue
		}
		if obj.body == nil || obj.body.OfJob {
			jobs = append(jobs, obj.ID)
		}
		if (obj.body == nil || obj.body.Pod) && !obj.samePlace() {
			pods = append(pods, obj.ID)
		}
	}
	for i := range u.facts {
		jobs = append(jobs, u.facts[i].ObjectID)
	}
	of, err := model.PlacePods(ctx, tx, pods)
	if err != nil {
		return nil, err
	}
	changed, err := jobstatus.Decide(ctx, tx, append(jobs, of...))
	if err != nil {
		return nil, err
	}
	return changed, model.UpdateFacts(ctx, tx, u.facts)
}
