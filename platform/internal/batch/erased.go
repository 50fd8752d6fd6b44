package batch

import (
	"context"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// dropErased removes the objects of a batch that were erased or that an erased object controls,
// and returns the observations of the others. A spill, a replay or a list may still have them.
// Only rows that the batch has inserted can be of such objects: an object is stored as erased
// before its row is deleted.
func (l lockedObjects) dropErased(ctx context.Context, tx *sqldb.Tx, s model.Scope, all []observe.Observation) ([]observe.Observation, error) {
	owners := map[string]string{} // of the inserted objects
	var uids []string
	for i := range all {
		o := &all[i]
		if l[o.UID].inserted == nil {
			continue
		}
		if owners[o.UID] = o.Owner.UID; o.Owner.UID != "" {
			uids = append(uids, o.Owner.UID)
		}
		uids = append(uids, o.UID)
	}
	if len(uids) == 0 {
		return all, nil
	}
	if some, err := model.FenceErasing(ctx, tx); err != nil || !some {
		return all, err
	}
	cluster, err := model.ClusterUID(ctx, tx, s.Cluster)
	if err != nil {
		return nil, err
	}
	erased, err := model.ErasedAmong(ctx, tx, cluster, uids)
	if err != nil || len(erased) == 0 {
		return all, err
	}
	return l.withoutErased(ctx, tx, cluster, all, owners, erased)
}

// withoutErased deletes the rows of erased objects, and stores those that an erased object
// controls as erased too, for the objects below them.
func (l lockedObjects) withoutErased(ctx context.Context, tx *sqldb.Tx, cluster string, all []observe.Observation, owners map[string]string, erased map[string]bool) ([]observe.Observation, error) {
	var rows []int64
	var below []model.Erased
	for uid, owner := range owners {
		if !erased[uid] && !erased[owner] {
			continue
		}
		if rows = append(rows, l[uid].ID); !erased[uid] {
			below = append(below, model.Erased{UID: uid})
		}
		delete(l, uid)
	}
	if _, err := model.DeleteObjects(ctx, tx, rows); err != nil {
		return nil, err
	}
	var kept []observe.Observation
	for i := range all {
		if l[all[i].UID] != nil {
			kept = append(kept, all[i])
		}
	}
	return kept, model.InsertErased(ctx, tx, cluster, below, model.Micros(tx.Now()))
}
