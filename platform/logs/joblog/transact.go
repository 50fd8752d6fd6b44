package joblog

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// errConflict reports that another transaction has changed the row first.
var errConflict = errors.New("kept logs: another process writes this log")

// errUnchanged ends a transaction that has nothing to write.
var errUnchanged = errors.New("kept logs: nothing is new")

// attempts is the maximum number of attempts of a transaction.
const attempts = 10

// transact runs a transaction, and repeats it if another process was first: the row had
// changed, or the database aborted one of two transactions.
func transact(ctx context.Context, db *sqldb.DB, f func(ctx context.Context, tx *sqldb.Tx) error) (err error) {
	for try := range attempts {
		bounded, done := db.Bounded(ctx)
		err = db.Transact(bounded, func(tx *sqldb.Tx) error { return f(bounded, tx) })
		late := bounded.Err() != nil
		done()
		switch {
		case err == nil, late, ctx.Err() != nil, db.Rejects(err), errors.Is(err, errDamaged), errors.Is(err, errUnchanged):
			return err
		case !errors.Is(err, errConflict) && try >= 3:
			return err
		}
		if waited := pause.For(ctx, time.Duration(try+1)*20*time.Millisecond); waited != nil {
			return cmp.Or(waited, err)
		}
	}
	return err
}
