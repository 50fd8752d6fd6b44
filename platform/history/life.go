package history

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// life is an object with all its transitions, ordered by version.
type life struct {
	object      Object
	transitions []job.Transition
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
	err = model.EachTransition(ctx, db, ids, func(object int64, t job.Transition) { byID[object].transitions = append(byID[object].transitions, t) })
	return lives, err
}

// read sets v to the life before an instant, and returns the state at its end. ok is false if the
// object had none.
func (l *life) read(v *job.Life, until time.Time) (last job.State, ok bool) {
	n := 0
	for n < len(l.transitions) && l.transitions[n].At.Before(until) {
		n++
	}
	if n == 0 {
		return "", false
	}
	if !l.object.Presence.Seen() && n == len(l.transitions) {
		until = time.Time{} // later states are unknown
	}
	v.Reset(l.object.Created, l.transitions[:n], until)
	return l.transitions[n-1].To, true
}
