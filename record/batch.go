package record

import (
	"context"
	"fmt"
	"iter"

	"github.com/vedette-io/vedette/record/internal/bodies"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
)

// Result counts what was written.
type Result struct {
	// Revisions and Transitions are new rows.
	Revisions, Transitions int
	// Duplicates are revisions that the database had already, from another recorder or
	// from before a restart.
	Duplicates int
}

// add adds another result.
func (r *Result) add(other Result) {
	r.Revisions, r.Transitions, r.Duplicates = r.Revisions+other.Revisions, r.Transitions+other.Transitions, r.Duplicates+other.Duplicates
}

// batchResult is what a batch has written.
type batchResult struct {
	Result
	happened []int64 // when the transitions that a watch reported happened, in microseconds
	bodies   *bodies.Batch
}

// writeBatch writes observations of a scope, in their order.
//
// The rows of the objects are locked first. Revisions that are newer than all stored ones
// are appended, the others are backfilled. Then the index entries of the new transitions
// are written.
func writeBatch(ctx context.Context, tx *sqldb.Tx, s model.Scope, encoder *bodies.Encoder, all []observation) (r batchResult, err error) {
	objects, err := lockObjects(ctx, tx, s, all)
	if err != nil {
		return r, err
	}
	if r.bodies, err = encoder.Begin(ctx, tx, bodiesOf(all), objects.rows()); err != nil {
		return r, fmt.Errorf("encode bodies: %w", err)
	}
	appended, backfill := appender{bodies: r.bodies}, backfiller{tx: tx, bodies: r.bodies}
	var older []late
	for i := range all {
		o := &all[i]
		obj := objects[o.uid]
		switch {
		case obj.Presence == model.Deleted && o.deleted && o.source != model.Watched:
			r.Duplicates++ // an object is deleted once
		case obj.Presence == model.Deleted && o.deleted:
			older = append(older, late{obj, o}) // it may replace an inferred deletion
		case o.version > obj.Version:
			appended.add(obj, o)
		default:
			older = append(older, late{obj, o})
		}
		if !o.deleted {
			obj.seenIn(s)
		}
	}
	if err := appended.insert(ctx, tx); err != nil {
		return r, err
	}
	sorted := objects.sorted()
	if err := updateObjects(ctx, tx, s, sorted); err != nil {
		return r, err
	}
	if err := backfill.write(ctx, older); err != nil {
		return r, err
	}
	r.add(Result{Revisions: len(appended.revisions), Transitions: len(appended.transitions)})
	r.add(backfill.Result)
	r.happened = appended.happened
	for _, obj := range sorted {
		if obj.Presence == model.Deleted {
			r.bodies.Drop(obj.ID)
		}
	}
	return r, indexTransitions(ctx, tx, s, sorted)
}

// bodiesOf returns the bodies of observations, some of which are nil.
func bodiesOf(all []observation) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range all {
			if !yield(all[i].body) {
				return
			}
		}
	}
}

// updateObjects writes what the objects of a batch are now.
func updateObjects(ctx context.Context, tx *sqldb.Tx, s model.Scope, objects []*lockedObject) error {
	updates := updater{scope: s}
	for _, obj := range objects {
		switch {
		case obj.last != nil:
			updates.add(obj)
		case obj.Selectors != obj.before.Selectors && obj.Presence != model.Deleted:
			// A known revision was seen with other selectors. Whoever follows these has to
			// notice when the object goes.
			if err := model.SelectObject(ctx, tx, obj.ID, obj.Selectors); err != nil {
				return err
			}
		}
	}
	return updates.write(ctx, tx)
}
