package delivery

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Erased counts the rows that Erase removed, or that CountErased found.
type Erased struct {
	Deliveries, DigestItems, Timers, Mutes, Subscriptions int64
}

// Of selects everything about some objects.
type Of struct {
	Objects []int64  // row IDs
	UIDs    []string // of the same objects
}

// CountErased counts what Erase would remove.
//
// Errors: those of the database.
func CountErased(ctx context.Context, q sqldb.Querier, of Of) (e Erased, err error) {
	for _, t := range e.tables() {
		for some := range slices.Chunk(of.Objects, chunk) {
			var n int64
			if err := q.QueryRow(ctx, "SELECT COUNT(*) FROM "+t.name+" WHERE object_id IN "+in(some)).Scan(&n); err != nil {
				return e, fmt.Errorf("table %s: %w", t.name, err)
			}
			*t.rows += n
		}
	}
	ids, err := subscriptionsTo(ctx, q, of.UIDs)
	e.Subscriptions = int64(len(ids))
	return e, err
}

// erasedTable is a table with rows about objects, and the number of its rows.
type erasedTable struct {
	name string
	rows *int64
}

func (e *Erased) tables() []erasedTable {
	return []erasedTable{{"deliveries", &e.Deliveries}, {"digest_items", &e.DigestItems}, {"notify_timers", &e.Timers}, {"mutes", &e.Mutes}}
}

// Erase removes the deliveries about some objects in any state, their places in digests, and
// their timers, mutes and subscriptions. A digest without a message goes too. A message that a
// worker sends at the same time may still arrive.
//
// Errors: those of the database.
func Erase(ctx context.Context, tx *sqldb.Tx, of Of) (e Erased, err error) {
	changes, err := lockSubscriptions(ctx, tx)
	if err != nil {
		return e, err
	}
	channels, err := Channels(ctx, tx)
	if err != nil {
		return e, err
	}
	names := make([]string, len(channels))
	for i := range channels {
		names[i] = channels[i].Name
	}
	if _, err := lockChannels(ctx, tx, names...); err != nil {
		return e, err
	}
	for some := range slices.Chunk(of.Objects, chunk) {
		if err := e.remove(ctx, tx, some); err != nil {
			return e, err
		}
	}
	ids, err := subscriptionsTo(ctx, tx, of.UIDs)
	if err == nil && len(ids) > 0 {
		err = changes.write(ctx, tx, ids...)
	}
	for some := range slices.Chunk(ids, chunk) {
		if err == nil {
			_, err = tx.Exec(ctx, "DELETE FROM subscriptions WHERE id IN "+in(some))
		}
	}
	e.Subscriptions = int64(len(ids))
	return e, err
}

// remove removes the rows about some objects.
func (e *Erased) remove(ctx context.Context, tx *sqldb.Tx, objects []int64) error {
	digests, err := selectNumbers(ctx, tx, "SELECT DISTINCT delivery_id FROM digest_items WHERE object_id IN "+in(objects))
	if err != nil {
		return err
	}
	lanes, err := selectNumbers(ctx, tx, "SELECT lane FROM deliveries WHERE object_id IN "+in(objects))
	if err != nil {
		return err
	}
	for _, t := range e.tables() {
		n, err := tx.Exec(ctx, "DELETE FROM "+t.name+" WHERE object_id IN "+in(objects))
		if *t.rows += n; err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	for some := range slices.Chunk(digests, chunk) {
		empty := "id IN " + in(some) + " AND NOT EXISTS (SELECT 1 FROM digest_items i WHERE i.delivery_id = deliveries.id)"
		freed, err := selectNumbers(ctx, tx, "SELECT lane FROM deliveries WHERE "+empty)
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, "DELETE FROM deliveries WHERE "+empty)
		if e.Deliveries += n; err != nil {
			return err
		}
		lanes = append(lanes, freed...)
	}
	return advance(ctx, tx, lanes, tx.Now())
}

// subscriptionsTo returns the subscriptions to single objects.
func subscriptionsTo(ctx context.Context, q sqldb.Querier, uids []string) (ids []int64, err error) {
	for some := range slices.Chunk(uids, chunk) {
		args := make([]any, len(some))
		for i, uid := range some {
			args[i] = uid
		}
		err := q.Query(ctx, "SELECT id FROM subscriptions WHERE uid IN "+sqldb.Placeholders(len(args))+" ORDER BY id", args, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("table subscriptions: %w", err)
		}
	}
	return ids, nil
}
