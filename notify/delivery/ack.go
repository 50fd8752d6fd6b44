package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/record/sqldb"
)

// Ack acknowledges the messages about an object, so that nobody else is told. It returns
// how many waited for that.
//
// Errors: those of the database.
func Ack(ctx context.Context, db *sqldb.DB, object int64, by string) (acked int, err error) {
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		n, err := tx.Exec(ctx, "UPDATE deliveries SET escalate_at = 0, acked_by = ?, acked_at = ? WHERE object_id = ? AND escalate_at > 0",
			cut(by, maxWord), micros(time.Now()), object)
		if acked = int(n); err != nil {
			return err
		}
		return audit(ctx, tx, by, "ack", fmt.Sprintf("object %d: %d messages", object, n))
	})
	return acked, err
}

// Escalations returns deliveries that nobody acknowledged until a time, the oldest first,
// at most limit. The planner creates what they escalate to and calls Escalated, in one
// transaction.
//
// Errors: those of the database.
func Escalations(ctx context.Context, tx *sqldb.Tx, now time.Time, limit int) ([]Delivery, error) {
	return selectDeliveries(ctx, tx, "FROM deliveries d"+tx.UseIndex("deliveries_escalation")+" WHERE d.escalate_at > 0 AND d.escalate_at <= ? ORDER BY d.escalate_at, d.id LIMIT ?", micros(now), limit)
}

// Escalated takes note that somebody else was told. It returns the number of deliveries
// that still needed that: an acknowledgment may have come meanwhile.
//
// Errors: those of the database.
func Escalated(ctx context.Context, tx *sqldb.Tx, ids ...int64) (int64, error) {
	return updateRows(ctx, tx, ids, "escalate_at = 0", "escalate_at > ?", 0)
}
