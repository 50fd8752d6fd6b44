package history

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// instant is the time as of which lives are read.
type instant struct {
	at   time.Time
	past bool // transitions after it do not count
}

// livesOf returns the lives of objects by their IDs, with spans for the gaps of their
// types.
func livesOf(ctx context.Context, db *sqldb.DB, objects []Object, i instant) (map[int64]job.Life, error) {
	all := make(map[int64]job.Life, len(objects))
	transitions, err := transitionsByObject(ctx, db, objects)
	if err != nil {
		return nil, err
	}
	for n := range objects {
		o := &objects[n]
		all[o.ID] = i.life(o, transitions[o.ID])
	}
	err = eachHatched(ctx, db, objects, i.at, func(o *Object, gaps []job.Interval) {
		l := all[o.ID]
		l.Spans = job.Hatch(l.Spans, gaps)
		all[o.ID] = l
	})
	return all, err
}

// life returns the life of an object with some transitions.
func (i instant) life(o *Object, all []job.Transition) job.Life {
	until, seen := i.at, o.Presence.Seen()
	if i.past {
		n := 0
		for n < len(all) && !all[n].At.After(i.at) {
			n++
		}
		seen = seen || n < len(all)
		all = all[:n]
	} else if n := len(all); n > 0 && !all[n-1].To.Final() && all[n-1].To != job.State(o.State) {
		all = append(all, job.Transition{To: job.State(o.State), At: o.Since}) // its pods show it
	}
	if !seen {
		until = time.Time{}
	}
	return job.LifeOf(submittedAt(o), all, until)
}

// transitionsByObject returns all transitions of some objects, in the order of their versions.
func transitionsByObject(ctx context.Context, db *sqldb.DB, objects []Object) (map[int64][]job.Transition, error) {
	ids := make([]int64, len(objects))
	for i := range objects {
		ids[i] = objects[i].ID
	}
	all := make(map[int64][]job.Transition, len(objects))
	err := model.EachTransition(ctx, db, ids, func(object int64, t job.Transition) { all[object] = append(all[object], t) })
	return all, err
}

// maxGaps is the maximum number of gaps, newest first, for some lives.
const maxGaps = 200

// eachHatched calls each for those of some objects whose types were not watched at times, with
// these times. A lasting gap ends now.
func eachHatched(ctx context.Context, db *sqldb.DB, objects []Object, now time.Time, each func(*Object, []job.Interval)) error {
	if len(objects) == 0 {
		return nil
	}
	since := now
	for i := range objects {
		if s := submittedAt(&objects[i]); s.Before(since) {
			since = s
		}
	}
	page, err := listGaps(ctx, db, GapFilter{Open: true, Since: since}, Paging{Limit: maxGaps})
	if err != nil {
		return err
	}
	for i := range objects {
		var gaps []job.Interval
		for n := range page.Items {
			if g := &page.Items[n]; g.covers(&objects[i]) {
				gaps = append(gaps, g.Interval(now))
			}
		}
		if gaps != nil {
			each(&objects[i], gaps)
		}
	}
	return nil
}

// covers reports whether an object is in the scope of a gap.
func (g *Gap) covers(o *Object) bool {
	return g.ClusterUID == o.ClusterUID && g.Type.String() == o.Type.String() && (g.Namespace == "" || g.Namespace == o.Namespace)
}

// Interval returns the time of a gap. A lasting gap ends now.
func (g *Gap) Interval(now time.Time) job.Interval {
	if g.Ended.IsZero() {
		return job.Interval{From: g.Began, To: now}
	}
	return job.Interval{From: g.Began, To: g.Ended}
}
