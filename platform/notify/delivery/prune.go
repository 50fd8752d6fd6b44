package delivery

import (
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Pruned counts the rows that Prune removed.
type Pruned struct {
	Deliveries, Mutes, Silences, Acts, Subscriptions int64
}

// Keep is the default time for which Prune keeps ended deliveries.
const Keep = 30 * 24 * time.Hour

// Prune removes deliveries that ended before a time, with the items of digests; ended
// mutes and silences; subscriptions to jobs that ended before; and older acts. It never removes an unsent delivery. It works in small steps.
//
// Errors: those of the database. Rows that were removed before an error stay removed.
func Prune(ctx context.Context, db *sqldb.DB, before time.Time) (p Pruned, err error) {
	channels, err := Channels(ctx, db)
	for _, c := range channels {
		for _, s := range []State{Sent, Dead, Superseded, Dropped, Silenced} {
			for n := int64(1); err == nil && n > 0; p.Deliveries += n {
				n, err = pruneDeliveries(ctx, db, c.Name, s, before)
			}
		}
	}
	if err == nil {
		p.Mutes, err = pruneRows(ctx, db, "mutes", "until_at", before)
	}
	if err == nil {
		p.Silences, err = pruneRows(ctx, db, "silences", "ends_at", before)
	}
	if err == nil {
		p.Acts, err = pruneRows(ctx, db, "notify_audit", "happened_at", before)
	}
	for n := int64(1); err == nil && n > 0; p.Subscriptions += n {
		n, err = pruneSubscriptions(ctx, db, before)
	}
	if err != nil {
		return p, fmt.Errorf("%s: retention of deliveries: %w", db, err)
	}
	return p, nil
}

// pruneDeliveries removes some deliveries of a channel that ended in a state.
func pruneDeliveries(ctx context.Context, db *sqldb.DB, channel string, s State, before time.Time) (removed int64, err error) {
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		ids, err := selectNumbers(ctx, tx, "SELECT d.id FROM deliveries d"+tx.UseIndex("deliveries_due")+
			" WHERE d.channel = ? AND d.state = ? AND d.next_at < ? ORDER BY d.next_at, d.id LIMIT ?", channel, int16(s), micros(before), chunk)
		if err != nil || len(ids) == 0 {
			return err
		}
		// A dead letter may have been replayed in the meantime.
		if removed, err = tx.Exec(ctx, "DELETE FROM deliveries WHERE id IN "+in(ids)+" AND state = ?", int16(s)); err != nil {
			return err
		}
		for _, table := range []string{"digest_items", "silenced"} {
			if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE delivery_id IN "+in(ids)+
				" AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.id = "+table+".delivery_id)"); err != nil {
				return err
			}
		}
		return nil
	})
	return removed, err
}

// pruneSubscriptions removes some subscriptions to jobs that ended before a time.
func pruneSubscriptions(ctx context.Context, db *sqldb.DB, before time.Time) (removed int64, err error) {
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		changes, err := lockSubscriptions(ctx, tx)
		if err != nil {
			return err
		}
		ids, err := selectNumbers(ctx, tx, "SELECT s.id FROM subscriptions s JOIN objects o ON o.uid = s.uid WHERE s.uid <> ''"+
			" AND (o.deleted_at > 0 AND o.deleted_at < ? OR o.state IN (?, ?, ?, ?) AND o.since < ?) ORDER BY s.id LIMIT ?",
			micros(before), string(job.Succeeded), string(job.Failed), string(job.Aborted), string(job.Deleted), micros(before), chunk)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := changes.write(ctx, tx, ids...); err != nil {
			return err
		}
		removed, err = tx.Exec(ctx, "DELETE FROM subscriptions WHERE id IN "+in(ids))
		return err
	})
	return removed, err
}

// pruneRows removes the rows of a table whose time is not 0 and before a bound.
func pruneRows(ctx context.Context, db *sqldb.DB, table, at string, before time.Time) (removed int64, err error) {
	for {
		var n int64
		err := db.Transact(ctx, func(tx *sqldb.Tx) error {
			ids, err := selectNumbers(ctx, tx, "SELECT id FROM "+table+" WHERE "+at+" > 0 AND "+at+" < ? ORDER BY "+at+", id LIMIT ?", micros(before), chunk)
			if err != nil || len(ids) == 0 {
				return err
			}
			n, err = tx.Exec(ctx, "DELETE FROM "+table+" WHERE id IN "+in(ids))
			return err
		})
		if removed += n; err != nil || n == 0 {
			return removed, err
		}
	}
}
