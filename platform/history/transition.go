package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Source is the way in which a revision became known. String returns "watch", "list",
// "relist", "inferred" or "reshown".
type Source = model.Source

// Values of Source.
const (
	// Watched revisions came from an event of a watch.
	Watched = model.Watched
	// Listed revisions came from the first list of a scope.
	Listed = model.Listed
	// Relisted revisions came from a list after a gap. Changes within the gap are unknown.
	Relisted = model.Relisted
	// Inferred revisions follow from other observations. Their time is the time of the
	// inference.
	Inferred = model.Inferred
	// Reshown revisions have other content at the version that was stored: the schema or the
	// server changed, and the object did not.
	Reshown = model.Reshown
)

// Transition is a change of the state of an object.
type Transition struct {
	Version         wire.Version
	From, To        string
	FromRaw, ToRaw  string // raw states
	Reason, Message string
	Happened, Seen  time.Time
	// Ended is the time of the next transition. It is zero for the last one.
	Ended  time.Time
	Source Source
}

// Job returns the transition as the life of its object needs it.
func (t *Transition) Job() job.Transition {
	return job.Transition{To: job.State(t.To), At: t.Happened, Reason: t.Reason, Inferred: t.Source == Inferred || t.Source == Relisted}
}

// Change is a transition together with its object.
type Change struct {
	// Object is the object in its last recorded state, not in its state at the transition.
	Object Object
	Transition
}

func transitionOf(r *model.ListedTransition) Transition {
	return Transition{
		Version: r.Version, From: r.From, To: r.To, FromRaw: r.FromRaw, ToRaw: r.ToRaw, Reason: r.Reason, Message: r.Message,
		Happened: model.Time(r.HappenedAt), Seen: model.Time(r.SeenAt), Ended: model.Time(r.EndedAt), Source: r.Source,
	}
}

func listTransitions(ctx context.Context, db *sqldb.DB, l limits, f Filter, p Paging) (Page[Change], error) {
	return scanPage(ctx, db, l, model.TransitionTable, f, p, decodeChange)
}

func decodeChange(rows *sql.Rows) (positioned[Change], error) {
	t, o, err := model.ScanChange(rows)
	return positioned[Change]{model.Position{At: t.HappenedAt, ID: t.ID}, Change{objectOf(&o), transitionOf(&t)}}, err
}

func transitionsOf(ctx context.Context, db *sqldb.DB, object int64, p Paging) (Page[Transition], error) {
	return keysetPage(ctx, db, model.TransitionsOf(object), p, func(rows *sql.Rows) (Transition, int64, error) {
		r, err := model.ScanTransition(rows)
		return transitionOf(&r), int64(r.Version), err
	})
}

// stateBegan returns the version of the last transition up to a version.
func stateBegan(ctx context.Context, db *sqldb.DB, cluster string, of Type, uid string, at wire.Version) (wire.Version, error) {
	s, err := Filter{Cluster: cluster, Types: []Type{of}}.resolve(ctx, db)
	var began wire.Version
	switch {
	case err != nil:
	case s.nothing:
		err = sql.ErrNoRows
	default:
		began, err = model.StateBegan(ctx, db, uid, at, s.conditions...)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("%s with UID %s at version %v: %w", of, uid, at, ErrUnknown)
	}
	return began, db.Explain(err)
}
