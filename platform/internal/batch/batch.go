package batch

import (
	"context"
	"fmt"
	"iter"

	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/internal/parts"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Written is the result of Write.
type Written struct {
	Result
	Happened []int64 // times of the transitions that a watch reported, in microseconds
	Changed  int     // number of feed entries
	Bodies   *bodies.Batch
	Linked   parts.Written // for parts.Relink, after the commit
}

// Write writes observations of a scope, in their order.
//
// It locks the rows of the objects first. It appends revisions that are newer than all
// stored ones, and backfills the others. A reshown revision gets its place by the content
// that is stored for its version. It leaves out objects that were erased. Then it writes the
// index entries of the new transitions, decides the statuses of the jobs, and writes the feed
// entries of all changed transitions and statuses.
//
// Errors: those of the database. The caller must then roll the transaction back.
func Write(ctx context.Context, tx *sqldb.Tx, s model.Scope, encoder *bodies.Encoder, all []observe.Observation) (r Written, err error) {
	objects, err := lockObjects(ctx, tx, s, all)
	if err != nil {
		return r, err
	}
	if all, err = objects.dropErased(ctx, tx, s, all); err != nil {
		return r, err
	}
	if r.Bodies, err = encoder.Begin(ctx, tx, bodiesOf(all), objects.rows()); err != nil {
		return r, fmt.Errorf("encode bodies: %w", err)
	}
	var feed changes
	appended, backfill := appender{bodies: r.Bodies, changes: &feed}, backfiller{tx: tx, bodies: r.Bodies, changes: &feed}
	var older []late
	for i := range all {
		o := &all[i]
		obj := objects[o.UID]
		if !o.Deleted {
			obj.seenIn(s)
		}
		o, last, err := appended.place(ctx, tx, obj, o)
		switch {
		case err != nil:
			return r, err
		case o == nil:
			r.Duplicates++
		case obj.Presence == model.Deleted && o.Deleted && o.Source != model.Watched:
			r.Duplicates++ // an object is deleted only once
		case obj.Presence == model.Deleted && o.Deleted:
			older = append(older, late{obj, o}) // it may replace an inferred deletion
		case last:
			appended.add(obj, o)
		default:
			older = append(older, late{obj, o})
		}
	}
	if err := appended.insert(ctx, tx); err != nil {
		return r, err
	}
	sorted := objects.sorted()
	updates, err := updateObjects(ctx, tx, s, sorted)
	if err != nil {
		return r, err
	}
	if err := backfill.write(ctx, older); err != nil {
		return r, err
	}
	r.Add(Result{Revisions: len(appended.revisions), Transitions: len(appended.transitions)})
	r.Add(backfill.Result)
	r.Happened = appended.happened
	for _, obj := range sorted {
		if obj.Presence == model.Deleted {
			r.Bodies.Drop(obj.ID)
		}
	}
	if err := indexTransitions(ctx, tx, s, sorted); err != nil {
		return r, err
	}
	r.Linked = updates.linked
	decided, err := updates.decide(ctx, tx, sorted)
	if err != nil {
		return r, err
	}
	entries := feed.with(decided)
	r.Changed = len(entries)
	return r, model.InsertOutbox(ctx, tx, entries)
}

// bodiesOf returns the bodies of observations, some of which are nil.
func bodiesOf(all []observe.Observation) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := range all {
			if !yield(all[i].Body) {
				return
			}
		}
	}
}

// updateObjects writes the state of the objects after a batch.
func updateObjects(ctx context.Context, tx *sqldb.Tx, s model.Scope, objects []*lockedObject) (*updater, error) {
	updates := &updater{scope: s}
	for _, obj := range objects {
		switch {
		case obj.last != nil:
			updates.add(obj)
		case obj.Selectors != obj.before.Selectors && obj.Presence != model.Deleted:
			// The batch has no new revision of the object, but a target with other
			// selectors sees it. The row stores the selectors that saw the object last,
			// because only a recorder with these selectors can detect its deletion.
			if err := model.SelectObject(ctx, tx, obj.ID, obj.Selectors); err != nil {
				return nil, err
			}
			obj.Presence = model.Present
		}
	}
	return updates, updates.write(ctx, tx)
}
