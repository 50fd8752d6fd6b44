package delivery

import (
	"context"
	"database/sql"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Act is an action of a person on deliveries, mutes, silences or subscriptions.
type Act struct {
	At            time.Time
	Actor, Action string
	Detail        string
}

// audit stores an act.
func audit(ctx context.Context, tx *sqldb.Tx, actor, action, detail string) error {
	return tx.Insert(ctx, "notify_audit", []string{"happened_at", "actor", "action", "detail"},
		[][]any{{micros(tx.Now()), cut(actor, maxWord), cut(action, maxKind), cut(detail, maxText)}})
}

// Acts returns acts, newest first, at most limit.
//
// Errors: those of the database.
func Acts(ctx context.Context, q sqldb.Querier, limit int) (all []Act, err error) {
	err = q.Query(ctx, "SELECT happened_at, actor, action, detail FROM notify_audit ORDER BY happened_at DESC, id DESC LIMIT ?", []any{limit}, func(rows *sql.Rows) error {
		var a Act
		var at int64
		err := rows.Scan(&at, &a.Actor, &a.Action, &a.Detail)
		a.At = moment(at)
		all = append(all, a)
		return err
	})
	return all, err
}
