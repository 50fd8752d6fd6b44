package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Ack acknowledges the messages about an object, so that they are not escalated. It
// returns how many messages waited for an acknowledgment.
//
// Errors: those of the database.
func Ack(ctx context.Context, db *sqldb.DB, object int64, by string) (acked int, err error) {
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		n, err := tx.Exec(ctx, "UPDATE deliveries SET escalate_at = 0, acked_by = ?, acked_at = ? WHERE object_id = ? AND escalate_at > 0",
			cut(by, maxWord), micros(db.Now()), object)
		if acked = int(n); err != nil {
			return err
		}
		return audit(ctx, tx, by, "ack", fmt.Sprintf("object %d: %d messages", object, n))
	})
	return acked, err
}

// Escalations returns the deliveries that were not acknowledged in time, oldest first, at
// most limit. The planner creates the escalations and calls Escalated, in one transaction.
//
// Errors: those of the database.
func Escalations(ctx context.Context, tx *sqldb.Tx, now time.Time, limit int) ([]Delivery, error) {
	return selectDeliveries(ctx, tx, "FROM deliveries d"+tx.UseIndex("deliveries_escalation")+" WHERE d.escalate_at > 0 AND d.escalate_at <= ? ORDER BY d.escalate_at, d.id LIMIT ?", micros(now), limit)
}

// Escalated marks deliveries as escalated. It returns how many of them still needed it,
// because an acknowledgment may have arrived in the meantime.
//
// Errors: those of the database.
func Escalated(ctx context.Context, tx *sqldb.Tx, ids ...int64) (int64, error) {
	return updateRows(ctx, tx, ids, "escalate_at = 0", "escalate_at > ?", 0)
}
