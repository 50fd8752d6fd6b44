package batch

import (
	"context"

	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// appender collects the revisions that are newer than all stored revisions of their
// objects, and their transitions.
type appender struct {
	bodies      *bodies.Batch
	changes     *changes
	revisions   []model.Revision
	transitions []model.Transition
	happened    []int64 // times of the transitions that a watch reported, in microseconds
}

// add appends a revision to its object.
func (a *appender) add(obj *lockedObject, o *observe.Observation) {
	from, fromRaw := obj.State, obj.RawState
	if obj.advance(o) {
		a.transitions = append(a.transitions, o.Transition(obj.ID, from, fromRaw, obj.Since))
		a.changes.note(model.RevisionID{Object: obj.ID, Version: o.Version}, model.FeedNew)
		if o.Source == model.Watched {
			a.happened = append(a.happened, obj.Since)
		}
		obj.addHour(model.HourOf(obj.Since))
	}
	var stored model.StoredBody
	if o.Bodiless {
		stored = bodies.Without(o.Body)
	} else {
		stored = a.bodies.Encode(&obj.Object, o.Version, o.Body, o.Prepared)
	}
	a.revisions = append(a.revisions, o.Revision(obj.ID, stored))
}

// insert writes the collected rows.
func (a *appender) insert(ctx context.Context, tx *sqldb.Tx) error {
	if err := model.InsertRevisions(ctx, tx, a.revisions); err != nil {
		return err
	}
	return model.InsertTransitions(ctx, tx, a.transitions)
}
