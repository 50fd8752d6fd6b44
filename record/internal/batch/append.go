package batch

import (
	"context"

	"github.com/vedette-io/vedette/record/internal/bodies"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/internal/observe"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/state"
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
	if o.Invalid != nil && !o.Deleted { // the state is unknown: assume that it is unchanged
		o.Status.State, o.Status.Raw = state.State(obj.State), obj.RawState
	}
	to, raw := string(o.Status.State), o.RawState()
	if obj.Version == 0 || to != obj.State || raw != obj.RawState {
		obj.changed, obj.Since = true, o.HappenedAt(obj.Since)
		a.transitions = append(a.transitions, o.Transition(obj.ID, obj.State, obj.RawState, obj.Since))
		a.changes.note(model.RevisionID{Object: obj.ID, Version: o.Version}, model.FeedNew)
		if o.Source == model.Watched {
			a.happened = append(a.happened, obj.Since)
		}
		obj.addHour(model.HourOf(obj.Since))
	}
	if obj.first == nil {
		obj.first = o
	}
	a.revisions = append(a.revisions, o.Revision(obj.ID, a.bodies.Encode(&obj.Object, o.Version, o.Body)))
	obj.Version, obj.State, obj.RawState, obj.last = o.Version, to, raw, o
	if obj.Presence = model.Present; o.Deleted {
		obj.Presence = model.Deleted
	}
}

// insert writes the collected rows.
func (a *appender) insert(ctx context.Context, tx *sqldb.Tx) error {
	if err := model.InsertRevisions(ctx, tx, a.revisions); err != nil {
		return err
	}
	return model.InsertTransitions(ctx, tx, a.transitions)
}
