package feed

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// readAtOnce is the number of positions that Read reads at once.
const readAtOnce = 500

// Head returns the last position of the feed. With write access, it first assigns positions
// to the waiting transitions.
//
// Errors: those of the database.
func Head(ctx context.Context, db *sqldb.DB) (Position, error) {
	h, err := head(ctx, db)
	return Position(h.Position), err
}

// head returns the bounds of the feed, after every transition that was committed before the
// call has its position.
func head(ctx context.Context, db *sqldb.DB) (model.FeedHead, error) {
	if _, err := Sequence(ctx, db); err != nil && ctx.Err() != nil {
		return model.FeedHead{}, err
	} // without write access, rely on the sequencers of others
	ctx, done := db.Bounded(ctx)
	defer done()
	h, err := model.ReadFeedHead(ctx, db)
	return h, db.Explain(err)
}

// Read returns the transitions after a position, in the order of the feed, up to the end of
// the feed at the time of the call. With write access, it first assigns positions to the
// waiting transitions. It omits transitions that retention has removed.
//
// A reader that stores the position of the last processed transition, and continues there,
// misses none and gets none twice. Read does not protect transitions from retention; a
// named cursor does, see Consume.
//
// Errors, which end the sequence: ErrExpired, ErrAhead; those of the database.
func Read(ctx context.Context, db *sqldb.DB, after Position) iter.Seq2[Transition, error] {
	return func(yield func(Transition, error) bool) {
		h, err := head(ctx, db)
		if err == nil {
			err = within(h, int64(after))
		}
		for at := int64(after); err == nil && at < h.Position; {
			upTo := min(at+readAtOnce, h.Position)
			var some []Transition
			if some, err = readRange(ctx, db, at, upTo, Partition{Of: 1}, false); err != nil {
				break
			}
			for _, t := range some {
				if !yield(t, nil) {
					return
				}
			}
			at = upTo
			if at < h.Position { // retention may have removed the rest
				var now model.FeedHead
				if now, err = model.ReadFeedHead(ctx, db); err == nil {
					err = within(now, at)
				}
			}
		}
		if err != nil {
			yield(Transition{}, db.Explain(err))
		}
	}
}

// within returns an error if the feed cannot be read from a position.
func within(h model.FeedHead, after int64) error {
	switch {
	case after < h.Oldest:
		return fmt.Errorf("feed after position %d: %w: the feed begins after position %d; read the missing transitions from the history", after, ErrExpired, h.Oldest)
	case after > h.Position:
		return fmt.Errorf("feed after position %d: %w: it ends at position %d; the database may have been restored from a backup", after, ErrAhead, h.Position)
	}
	return nil
}

// readRange returns the transitions of a partition between two positions, and the Decided entries
// if they are wanted. after is exclusive, and upTo is inclusive.
func readRange(ctx context.Context, db *sqldb.DB, after, upTo int64, p Partition, decided bool) ([]Transition, error) {
	ctx, done := db.Bounded(ctx)
	defer done()
	var all []Transition
	var ids []int64
	err := model.ReadFeed(ctx, db, after, upTo, p.filter(), func(r model.FeedRow) {
		if wanted := r.Found || r.Kind == model.FeedWithdrawn; r.Kind == model.FeedDecided && decided || r.Kind != model.FeedDecided && wanted {
			all, ids = append(all, transitionOf(&r)), append(ids, r.Object)
		}
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	objects, err := objectsOf(ctx, db, ids)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Object = objects[all[i].Object.ID]
	}
	return slices.DeleteFunc(all, func(t Transition) bool { return t.Object.ID == 0 }), nil
}

// objectsOf returns objects by row ID.
func objectsOf(ctx context.Context, db *sqldb.DB, ids []int64) (map[int64]Object, error) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	labels, err := model.LabelsOf(ctx, db, ids)
	if err != nil {
		return nil, err
	}
	statuses := map[int64]*job.Status{}
	err = model.JobStatuses(ctx, db, ids, func(id int64, s model.JobStatus) {
		statuses[id] = &job.Status{State: job.State(s.State), Reason: s.Reason, Message: s.Message, At: model.Time(s.Since)}
	})
	if err != nil {
		return nil, err
	}
	objects := make(map[int64]Object, len(ids))
	err = model.ObjectsWith(ctx, db, ids, func(r model.ListedObject) {
		o := objectOf(&r)
		o.Labels, o.Status = labels[o.ID], statuses[o.ID]
		objects[o.ID] = o
	})
	return objects, err
}
