package parts

import (
	"context"

	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// sweepAtOnce is the number of parts in one transaction of a sweep.
const sweepAtOnce = 1000

// Sweeper finds the jobs of open parts whose writer ended before it could call Relink. The zero value begins with all
// open parts. It belongs to one goroutine.
type Sweeper struct {
	// A step looks at the parts after from, and the next one at those after seen. So each part
	// is looked at in two steps, of which the second one begins after the transaction of its
	// job has ended.
	from, seen int64
}

// Sweep looks at the open parts that are new since the step before the last one.
//
// Errors: those of the database. The next step then looks at the same parts.
func (s *Sweeper) Sweep(ctx context.Context, db *sqldb.DB) error {
	seen := s.from
	for {
		n, last, err := sweep(ctx, db, seen)
		if err != nil {
			return db.Explain(err)
		}
		if seen = last; n < sweepAtOnce {
			break
		}
	}
	s.from, s.seen = max(s.from, s.seen), seen
	return nil
}

// sweep looks at open parts after a row ID, and returns their number and the ID of the last
// one.
func sweep(ctx context.Context, db *sqldb.DB, after int64) (n int, last int64, err error) {
	ctx, done := db.Bounded(ctx)
	defer done()
	last = after
	open, err := model.OpenPartsAfter(ctx, db, after, sweepAtOnce)
	if err != nil || len(open) == 0 {
		return 0, last, err
	}
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		changed, err := Link(ctx, tx, &Written{Parts: open})
		if err != nil {
			return err
		}
		return jobstatus.Update(ctx, tx, changed)
	})
	return len(open), open[len(open)-1].ID, err
}
