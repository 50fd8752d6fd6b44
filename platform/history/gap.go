package history

import (
	"context"
	"database/sql"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Causes of gaps.
const (
	// CauseWindow: the API server no longer had the events after the resume point.
	CauseWindow = model.CauseWindow
	// CauseDenied: the recorder lacked the right to list or watch.
	CauseDenied = model.CauseDenied
	// CauseAbsent: the API server did not serve the type.
	CauseAbsent = model.CauseAbsent
	// CauseRebuilt: a different cluster has replaced this one.
	CauseRebuilt = model.CauseRebuilt
	// CauseRestored: the server has lost versions, as after a restore from a backup.
	CauseRestored = model.CauseRestored
	// CauseInvalid: an object in a list or an event was unusable.
	CauseInvalid = model.CauseInvalid
	// CauseRefused: the database rejected a revision, or its body.
	CauseRefused = model.CauseRefused
	// CauseUnordered: the API server does not order versions, and the version of a revision
	// was not newer than the previous one.
	CauseUnordered = model.CauseUnordered
)

// Gap is an interval of versions of a type in which something may be missing.
type Gap struct {
	ID         int64
	Cluster    string
	ClusterUID string
	Type       Type
	Namespace  string // empty: all
	Recorder   string // name of the recorder with the gap
	Cause      string // one of the causes above
	From, To   wire.Version
	Began      time.Time // time when the last revision before the gap was seen
	Ended      time.Time // time when the first revision after the gap was seen; zero while the gap lasts
	Detail     string
	Healed     time.Time // time when the gap was healed; zero if the gap is open
}

// GapFilter selects gaps. The zero value selects all gaps.
type GapFilter struct {
	Cluster string // name or UID
	Types   []Type // a gap must have one of them
	// Namespace excludes gaps of other namespaces. Gaps that concern all namespaces match.
	Namespace string
	// Open excludes healed gaps.
	Open bool
	// Since selects gaps that last or that ended at this time or later, and Until selects
	// gaps that began before this time. Zero means no limit.
	Since, Until time.Time
}

func listGaps(ctx context.Context, db *sqldb.DB, f GapFilter, p Paging) (Page[Gap], error) {
	selected := model.GapFilter{Namespace: f.Namespace, Open: f.Open, EndedSince: model.Micros(f.Since), BegunBefore: model.Micros(f.Until)}
	var err error
	if f.Cluster != "" {
		if selected.Clusters, err = model.ClusterIDs(ctx, db, f.Cluster); err != nil || selected.Clusters == nil {
			return Page[Gap]{}, err
		}
	}
	if f.Types != nil {
		if selected.Resources, err = model.ResourceIDs(ctx, db, f.Types); err != nil || selected.Resources == nil {
			return Page[Gap]{}, err
		}
	}
	return keysetPage(ctx, db, model.Gaps(selected), p, func(rows *sql.Rows) (Gap, int64, error) {
		g, err := model.ScanGap(rows)
		return gapOf(&g), g.ID, err
	})
}

func gapOf(g *model.ListedGap) Gap {
	return Gap{
		ID: g.ID, Cluster: g.Cluster, ClusterUID: g.ClusterUID, Type: g.Type, Namespace: g.Namespace, Recorder: g.Recorder, Cause: g.Cause,
		From: g.From, To: g.To, Began: g.FromAt, Ended: g.ToAt, Detail: g.Detail, Healed: g.HealedAt,
	}
}
