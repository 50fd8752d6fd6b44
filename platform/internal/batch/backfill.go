package batch

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// backfiller writes late revisions: another recorder missed them, and wrote a later
// revision of the same object.
type backfiller struct {
	tx      *sqldb.Tx
	bodies  *bodies.Batch
	changes *changes
	Result
}

// late is an observation that is not newer than the stored revisions of its object.
type late struct {
	object *lockedObject
	*observe.Observation
}

// write writes late revisions in the order of their versions. It corrects the transition at
// each of them and the one after it.
func (b *backfiller) write(ctx context.Context, all []late) error {
	slices.SortStableFunc(all, func(x, y late) int { return cmp.Compare(x.Version, y.Version) })
	for _, l := range all {
		stored, err := model.HasRevision(ctx, b.tx, l.object.ID, l.Version)
		switch {
		case err != nil:
			return err
		case stored:
			b.Duplicates++
			continue
		}
		l.object.reindex, l.object.late = true, true
		if l.Deleted {
			err = b.correctDeletion(ctx, l)
		} else {
			err = b.insert(ctx, l, l.object.kindOf(l.Version, model.FeedLate))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// insert writes a revision and its transition, with the kind of its feed entry, and
// corrects the transition after it.
func (b *backfiller) insert(ctx context.Context, l late, kind model.FeedKind) error {
	id := l.object.ID
	stored := bodies.Without(l.Body)
	if !l.Bodiless {
		stored = b.bodies.EncodeAlone(l.Body)
	}
	if err := model.InsertRevisions(ctx, b.tx, []model.Revision{l.Revision(id, stored)}); err != nil {
		return err
	}
	b.Revisions++
	from, fromRaw, found, err := model.StateBefore(ctx, b.tx, id, l.Version)
	if err != nil {
		return err
	}
	if !found || from != string(l.Status.State) || fromRaw != l.RawState() {
		b.Transitions++
		at, err := b.happenedAt(ctx, id, l.Observation)
		if err != nil {
			return err
		}
		if err := model.InsertTransitions(ctx, b.tx, []model.Transition{l.Transition(id, from, fromRaw, at)}); err != nil {
			return err
		}
		b.changes.note(model.RevisionID{Object: id, Version: l.Version}, kind)
	}
	if err := b.correctNext(ctx, l); err != nil {
		return err
	}
	return model.RefreshSince(ctx, b.tx, id)
}

// happenedAt returns the time of a transition between two stored transitions. It is not
// before the previous one, and not after the next one.
func (b *backfiller) happenedAt(ctx context.Context, object int64, o *observe.Observation) (int64, error) {
	neighbors, err := model.ReadNeighborTimes(ctx, b.tx, object, o.Version)
	if err != nil {
		return 0, err
	}
	at := o.HappenedAt(neighbors.Before)
	if neighbors.HasAfter {
		at = min(at, neighbors.After)
	}
	return at, nil
}

// correctDeletion replaces an inferred deletion with the deletion that a watch reported.
func (b *backfiller) correctDeletion(ctx context.Context, l late) error {
	id := l.object.ID
	inferred, err := model.DeleteInferredDeletion(ctx, b.tx, id)
	if err != nil {
		return err
	}
	if !inferred {
		b.Duplicates++ // another recorder has observed the deletion, too
		return nil
	}
	versions, err := model.DeleteDeletions(ctx, b.tx, id)
	if err != nil {
		return err
	}
	kind := model.FeedCorrected
	for _, v := range versions {
		if b.changes.note(model.RevisionID{Object: id, Version: v}, model.FeedWithdrawn); v > l.object.before.Version {
			kind = l.object.kindOf(l.Version, model.FeedLate) // no reader has seen the inferred deletion
		}
	}
	if err := b.insert(ctx, l, kind); err != nil {
		return err
	}
	return model.CorrectDeletion(ctx, b.tx, id, model.ObservedDeletion{
		Version: l.Version, DeletedAt: model.Micros(l.Seen), RawState: l.RawState(), Reason: l.Reason(), Message: l.Message(),
	})
}

// correctNext corrects the transition of the revision after a late one. Its previous state
// is now the state of the late revision; the revision may have become a transition, or no
// longer be one.
//
// A transition that correctNext adds has no reason and no message. Only transitions and
// objects have these columns, and a revision without a transition was stored with its state
// alone.
func (b *backfiller) correctNext(ctx context.Context, l late) error {
	id := l.object.ID
	next, err := model.RevisionAfter(ctx, b.tx, id, l.Version)
	if l.Deleted && errors.Is(err, sql.ErrNoRows) {
		return nil // nothing follows a deletion
	}
	if err != nil {
		return err
	}
	from, fromRaw := string(l.Status.State), l.RawState()
	if from == next.State && fromRaw == next.RawState {
		withdrawn, err := model.DeleteTransition(ctx, b.tx, id, next.Version)
		if withdrawn {
			b.changes.note(model.RevisionID{Object: id, Version: next.Version}, model.FeedWithdrawn)
		}
		return err
	}
	corrected, err := model.SetPreviousState(ctx, b.tx, id, next.Version, from, fromRaw)
	if err != nil {
		return err
	}
	changed := model.RevisionID{Object: id, Version: next.Version}
	if corrected {
		b.changes.note(changed, l.object.kindOf(next.Version, model.FeedCorrected))
		return nil
	}
	b.changes.note(changed, l.object.kindOf(next.Version, became))
	o := observe.Observation{Version: next.Version, Source: next.Source, Seen: model.Time(next.SeenAt), Status: job.Status{State: job.State(next.State), Raw: next.RawState}}
	at, err := b.happenedAt(ctx, id, &o)
	if err != nil {
		return err
	}
	return model.InsertNewTransition(ctx, b.tx, o.Transition(id, from, fromRaw, at))
}
