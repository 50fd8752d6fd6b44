package history

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Coverage is the latest interval in which a recorder watched a part of a type without a
// gap.
type Coverage struct {
	Cluster, ClusterUID string
	Type                Type
	Namespace           string // empty: all
	Recorder            string
	Version             wire.Version // the last one that is covered
	// Began is the beginning of the interval, and Reached is the time when its end was
	// stored. A watching recorder stores the end at least every few minutes.
	Began, Reached time.Time
	// Objects is the number of existing objects of the type in the cluster. It is -1 for a
	// part of a type.
	Objects int
	// Bytes is the size of the last bodies of these objects. It is -1 for a part of a type,
	// or if more than 100,000 objects exist.
	Bytes int64
}

// measured is the maximum number of objects whose sizes are summed.
const measured = 100_000

// Activity summarizes recent writes of recorders.
type Activity struct {
	Coverage []Coverage
	// Waiting is the number of transitions without a position in the feed.
	Waiting int64
	// Recent are new transitions of the feed, oldest first.
	Recent []Recorded
}

// Recorded is a transition of the feed.
type Recorded struct {
	ClusterUID string
	Type       Type
	// Seen is the time when the recorder saw the revision, and At is the time when the
	// sequencer saw the row.
	Seen, At time.Time
}

func activityOf(ctx context.Context, db *sqldb.DB, after int64) (a Activity, err error) {
	err = model.EachCoveredScope(ctx, db, func(s model.CoveredScope) {
		c := Coverage{
			Cluster: s.Cluster, ClusterUID: s.ClusterUID, Type: s.Type, Namespace: s.Namespace, Recorder: s.Recorder,
			Version: s.To, Began: model.Time(s.FromAt), Reached: model.Time(s.ToAt), Objects: -1, Bytes: -1,
		}
		if n := len(a.Coverage); n > 0 && a.Coverage[n-1].sameScope(&c) {
			a.Coverage[n-1] = c // the last row of a recorder replaces earlier ones
		} else {
			a.Coverage = append(a.Coverage, c)
		}
	})
	if err != nil {
		return a, err
	}
	present := 0
	err = model.EachPresent(ctx, db, func(uid string, of Type, objects int) {
		present += objects
		a.each(uid, of, func(c *Coverage) { c.Objects = objects })
	})
	if err == nil && present <= measured {
		err = model.EachPresentBytes(ctx, db, func(uid string, of Type, size int64) {
			a.each(uid, of, func(c *Coverage) { c.Bytes = size })
		})
	}
	if err != nil {
		return a, err
	}
	if a.Waiting, err = model.CountOutbox(ctx, db); err != nil {
		return a, err
	}
	return a, model.EachRecent(ctx, db, after, func(uid string, of Type, recorded, seen int64) {
		if seen > 0 {
			a.Recent = append(a.Recent, Recorded{ClusterUID: uid, Type: of, Seen: model.Time(seen), At: model.Time(recorded)})
		}
	})
}

// each calls change for the coverage of a whole type.
func (a *Activity) each(clusterUID string, of Type, change func(*Coverage)) {
	for i := range a.Coverage {
		if c := &a.Coverage[i]; c.ClusterUID == clusterUID && c.Type == of && c.Namespace == "" {
			change(c)
		}
	}
}

func (c *Coverage) sameScope(other *Coverage) bool {
	return c.ClusterUID == other.ClusterUID && c.Type == other.Type && c.Namespace == other.Namespace && c.Recorder == other.Recorder
}
