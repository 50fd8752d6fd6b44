package jobstatus

import (
	"context"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// SetPresence changes the presence of all objects of a scope as model.SetPresence does, and
// decides the statuses of the jobs that depend on them.
func SetPresence(ctx context.Context, tx *sqldb.Tx, s model.Scope, from, to model.Presence) error {
	n, err := model.SetPresence(ctx, tx, s, from, to)
	if err != nil || n == 0 {
		return err
	}
	jobs, pods, err := model.InScope(ctx, tx, s, to)
	if err != nil {
		return err
	}
	of, err := model.PlacePods(ctx, tx, pods)
	if err != nil {
		return err
	}
	return Update(ctx, tx, append(jobs, of...))
}

// Unselect stores that the selectors of their target no longer select some objects, as
// model.UnselectObject does, and decides the statuses of the jobs that depend on them.
func Unselect(ctx context.Context, tx *sqldb.Tx, s model.Scope, uids []string) error {
	var objects []int64
	for _, uid := range uids {
		id, err := model.UnselectObject(ctx, tx, s, uid)
		if err != nil {
			return err
		}
		if id != 0 {
			objects = append(objects, id)
		}
	}
	jobs, err := model.PlacePods(ctx, tx, objects)
	if err != nil {
		return err
	}
	return Update(ctx, tx, append(jobs, objects...))
}
