package history

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// life is an object with all its transitions, ordered by version.
type life struct {
	object Object
	stays  []stay
}

// stay is a time that an object spent in a state. It ends where the next one begins.
type stay struct {
	state string
	began time.Time
}

// livesPerQuery is the number of objects that statistics read at once.
const livesPerQuery = 1000

// readLives reads the next objects after an ID that existed during the time of a selection.
func readLives(ctx context.Context, db *sqldb.DB, s *selection, after int64) (lives []*life, err error) {
	byID := map[int64]*life{}
	var ids []int64
	err = model.ObjectsAlive(ctx, db, after, s.from, livesPerQuery, s.conditions, func(r model.ListedObject) {
		l := &life{object: objectOf(&r)}
		lives, ids, byID[r.ID] = append(lives, l), append(ids, r.ID), l
	})
	if err != nil || ids == nil {
		return nil, err
	}
	err = model.EachEntry(ctx, db, ids, func(object int64, to string, at int64) { byID[object].enter(to, model.Time(at)) })
	return lives, err
}

// enter adds a transition. Clocks differ, so a transition can seem to precede the previous
// one.
func (l *life) enter(to string, at time.Time) {
	if n := len(l.stays); n > 0 && at.Before(l.stays[n-1].began) {
		at = l.stays[n-1].began
	}
	l.stays = append(l.stays, stay{to, at})
}

// cutAt removes the transitions that happened at a time or later.
func (l *life) cutAt(until time.Time) {
	for len(l.stays) > 0 && !l.stays[len(l.stays)-1].began.Before(until) {
		l.stays = l.stays[:len(l.stays)-1]
	}
}

// last returns the stay that has not ended.
func (l *life) last() stay { return l.stays[len(l.stays)-1] }

// end returns the end of stay i. The last stay ends at until.
func (l *life) end(i int, until time.Time) time.Time {
	if i+1 < len(l.stays) {
		return l.stays[i+1].began
	}
	return until
}
