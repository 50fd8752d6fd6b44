package retention

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// extendedFor is the time for which a row of coverage stays unchanged after a recorder last
// extended it.
const extendedFor = 24 * time.Hour

// interval is a row of coverage, and what compact does with it.
type interval struct {
	model.CoverageRow
	needed         bool // a recorder may resume from it or extend it
	moved, removed bool
}

// compact joins rows of coverage that touch, and removes gaps that were healed longer ago
// than revisions are kept. It returns the number of removed rows. Rows that recorders need
// to resume stay: the row of each scope that ends last, and the last row of each recorder.
func compact(ctx context.Context, db *sqldb.DB, keep time.Duration, now time.Time, preview bool) (removed int, err error) {
	cutoff := int64(0)
	if keep < Forever {
		cutoff = model.Micros(now.Add(-keep))
	}
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		healed, err := model.CountHealedGaps(ctx, tx, cutoff)
		if err != nil {
			return err
		}
		if healed > 0 && !preview {
			if err := model.DeleteHealedGaps(ctx, tx, cutoff); err != nil {
				return err
			}
		}
		all, err := intervals(ctx, tx)
		if err != nil {
			return err
		}
		joinIntervals(all, model.Micros(now.Add(-extendedFor)), cutoff)
		n, err := store(ctx, tx, all, preview)
		removed = healed + n
		return err
	})
	return removed, err
}

// intervals reads all coverage, sorted by scope.
func intervals(ctx context.Context, tx *sqldb.Tx) (all []*interval, err error) {
	type owner struct {
		model.Scope
		recorder string
	}
	newest, ends := map[owner]*interval{}, map[model.Scope]*interval{}
	err = model.EachCoverage(ctx, tx, func(row model.CoverageRow) {
		i := &interval{CoverageRow: row}
		if of := (owner{i.Scope, i.Recorder}); newest[of] == nil || newest[of].ID < i.ID {
			newest[of] = i
		}
		if ends[i.Scope] == nil || ends[i.Scope].To < i.To {
			ends[i.Scope] = i
		}
		all = append(all, i)
	})
	for _, i := range newest {
		i.needed = true
	}
	for _, i := range ends {
		i.needed = true
	}
	return all, err
}

// joinIntervals marks the rows to remove: rows that were last extended before extended and
// touch a later row, which takes over their beginning, and rows that were last extended
// before the cutoff.
func joinIntervals(all []*interval, extended, cutoff int64) {
	for n, i := range all {
		if i.needed || i.ToAt >= extended {
			continue
		}
		for _, next := range slices.Concat(all[n+1:], all[:n]) {
			if next.removed || next.Scope != i.Scope || next.From > i.To || next.To < i.To {
				continue
			}
			if i.removed = true; i.From < next.From {
				next.From, next.FromAt, next.moved = i.From, i.FromAt, true
			}
			break
		}
		i.removed = i.removed || i.ToAt < cutoff
	}
}

// store stores the result of joinIntervals, and returns the number of removed rows.
func store(ctx context.Context, tx *sqldb.Tx, all []*interval, preview bool) (removed int, err error) {
	slices.SortFunc(all, func(x, y *interval) int { return cmp.Compare(x.ID, y.ID) })
	for _, i := range all {
		switch {
		case i.removed:
			if removed++; !preview {
				err = model.DeleteCoverage(ctx, tx, i.ID)
			}
		case i.moved && !preview:
			err = model.SetCoverageStart(ctx, tx, i.ID, i.From, i.FromAt)
		}
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}
