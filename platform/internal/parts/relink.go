package parts

import (
	"context"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Relink finds the jobs of parts that were written at the same time as their job. Neither of the
// two transactions has seen the rows of the other one. Each writer calls Relink after its commit, and the
// one that committed last sees both. A Sweeper does the same for writers that ended before that.
// It reports whether it wrote anything.
//
// Errors: those of the database.
func Relink(ctx context.Context, db *sqldb.DB, w Written) (changed bool, err error) {
	found, err := w.meets(ctx, db)
	if err != nil || !found {
		return false, err
	}
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		jobs, err := Link(ctx, tx, &w)
		if err != nil {
			return err
		}
		changed = len(jobs) > 0
		return jobstatus.Update(ctx, tx, jobs)
	})
	return changed, err
}

// meets reports whether Link would find something now.
func (w *Written) meets(ctx context.Context, q sqldb.Querier) (found bool, err error) {
	var owners []string
	for i := range w.Jobs {
		if f := w.Jobs[i].Facts; f != nil && f.PodLabel != "" {
			found = true // the pods of a label are not asked for without a transaction
		}
		owners = append(owners, w.Jobs[i].UID)
	}
	var open []model.Part
	for i := range w.Parts {
		p := &w.Parts[i]
		if _, left := slices.BinarySearch(w.Open, p.ID); left {
			open = append(open, *p)
			found = found || p.Pod && labeled(p)
		}
		if !p.Pod {
			owners = append(owners, p.UID)
		}
	}
	if found {
		return true, nil
	}
	slices.Sort(owners)
	waiting, err := model.OpenParts(ctx, q, owners)
	if err != nil || len(waiting) > 0 {
		return len(waiting) > 0, err
	}
	for of, some := range byOwnerKind(open) {
		uids := make([]string, len(some))
		for i, p := range some {
			uids[i] = p.Owner.UID
		}
		slices.Sort(uids)
		err := model.PartOwners(ctx, q, of.cluster, of.kind, slices.Compact(uids), func(o model.PartOwner) { found = found || o.Job != 0 })
		if err != nil || found {
			return found, err
		}
	}
	return false, nil
}
