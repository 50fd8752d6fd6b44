package batch

import (
	"context"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/job"
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
	redecided  []int64 // objects whose rows of jobs are replaced
	jobs       []model.JobRow
	written    []parts.Job // the jobs of these rows
	parts      []model.Part
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

// addJob collects the row of a job. A body that cannot be decoded leaves the row of the
// previous one.
func (u *updater) addJob(obj *lockedObject) {
	stored := obj.AttributesHash != 0
	if !obj.body.OfJob || stored && obj.facts == nil {
		return
	}
	if stored {
		u.redecided = append(u.redecided, obj.ID)
	}
	if slices.Contains(job.Parents(), obj.body.Owner.Kind) {
		return
	}
	row := model.JobRow{ObjectID: obj.ID}
	if obj.facts != nil {
		row.Facts = obj.facts.Facts
	}
	u.jobs = append(u.jobs, row)
	u.written = append(u.written, parts.Job{
		ID: obj.ID, Cluster: u.scope.Cluster, Namespace: obj.body.Namespace, UID: obj.UID, CreatedAt: model.Micros(obj.body.Created), Facts: row.Facts,
	})
}

// addPart collects an object that may belong to a job.
func (u *updater) addPart(obj *lockedObject) {
	o := obj.body
	if n := len(u.written); n > 0 && u.written[n-1].ID == obj.ID || o.Owner.UID == "" && !o.Pod {
		return
	}
	u.parts = append(u.parts, model.Part{
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
	if err := model.DeleteJobs(ctx, tx, u.redecided); err != nil {
		return err
	}
	if err := model.InsertJobs(ctx, tx, u.jobs); err != nil {
		return err
	}
	return parts.Link(ctx, tx, u.parts, u.written)
}
