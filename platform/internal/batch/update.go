package batch

import (
	"context"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
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
	row := model.JobRow{ObjectID: obj.ID}
	if obj.facts != nil {
		row.Facts = obj.facts.Facts
	}
	if !slices.Contains(job.Parents(), obj.body.Owner.Kind) {
		u.jobs = append(u.jobs, row)
	}
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
	return model.InsertJobs(ctx, tx, u.jobs)
}
