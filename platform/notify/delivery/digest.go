package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// ErrClosed is the error for a digest whose window another process with a faster clock has
// closed.
var ErrClosed = errors.New("the digest is closed")

// Item is a notice that a digest has collected.
type Item struct {
	// Key is the key that the notice would have as a separate message. A digest has each
	// key once.
	Key string
	// Object is the row ID of the object, and Kind the kind of the notice.
	Object int64
	Kind   string
	// Event is the notice as JSON, as platform/notify/message stores it.
	Event []byte
}

// HeldOf returns the held deliveries of a lane, such as the digest that collects items for
// a receiver, in the order of their creation.
//
// Errors: those of the database.
func HeldOf(ctx context.Context, q sqldb.Querier, lane int64) ([]Delivery, error) {
	return selectDeliveries(ctx, q, "FROM deliveries d WHERE d.lane = ? AND d.state = ? ORDER BY d.id", lane, int16(Held))
}

// AppendDigest adds items to a held delivery, and creates it if its key does not exist.
// d.NextAt is the end of the window. Call it only in the transaction that moves the cursor
// of the planner.
//
// Errors: ErrClosed if the delivery is no longer held; those of Create.
func AppendDigest(ctx context.Context, tx *sqldb.Tx, d Delivery, items []Item) error {
	d.State = Held
	if _, err := Create(ctx, tx, []Delivery{d}); err != nil {
		return err
	}
	var id int64
	var state State
	if err := tx.QueryRow(ctx, "SELECT id, state FROM deliveries WHERE key_hash = ?", digestOf("key", d.Key)).Scan(&id, &state); err != nil {
		return err
	}
	if state != Held {
		return fmt.Errorf("%s: %w", d.Key, ErrClosed)
	}
	ids := make([]int64, len(items))
	for i := range items {
		ids[i] = items[i].Object
	}
	erased, err := erasedAmong(ctx, tx, ids)
	if err != nil {
		return err
	}
	var rows [][]any
	for i := range items {
		item := &items[i]
		if !erased[item.Object] {
			rows = append(rows, []any{id, digestOf("item", item.Key), item.Object, cut(item.Kind, maxKind), append([]byte{}, item.Event...)})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.InsertNew(ctx, "digest_items", []string{"delivery_id", "key_hash", "object_id", "kind", "notice"}, rows, "key_hash")
}

// Items returns the items of a digest, or the messages of the summary of a silence, in the
// order in which they were added, without their keys.
//
// Errors: those of the database.
func Items(ctx context.Context, q sqldb.Querier, delivery int64) (all []Item, err error) {
	query := "SELECT i.id AS id, i.object_id, i.kind, i.notice FROM digest_items i WHERE i.delivery_id = ?" +
		" UNION ALL SELECT d.id AS id, d.object_id, d.kind, d.notice FROM silenced m JOIN deliveries d ON d.id = m.delivery_id WHERE m.summary_id = ? ORDER BY id"
	err = q.Query(ctx, query, []any{delivery, delivery}, func(rows *sql.Rows) error {
		var id int64
		var item Item
		err := rows.Scan(&id, &item.Object, &item.Kind, &item.Event)
		all = append(all, item)
		return err
	})
	return all, err
}

// DueHeld returns the held deliveries about single objects on some channels whose time has
// come, as the row IDs of objects by those of deliveries.
//
// Errors: those of the database.
func DueHeld(ctx context.Context, q *sqldb.DB, channels []string, now time.Time) (map[int64]int64, error) {
	all := map[int64]int64{}
	query := "SELECT d.id, d.object_id FROM deliveries d" + q.UseIndex("deliveries_due") + " WHERE d.channel IN " + sqldb.Placeholders(len(channels)) + " AND d.state = ? AND d.next_at <= ? AND d.object_id > 0"
	return all, q.Query(ctx, query, append(anys(channels), int16(Held), micros(now)), func(rows *sql.Rows) error {
		var id, object int64
		err := rows.Scan(&id, &object)
		all[id] = object
		return err
	})
}

// Postpone holds held deliveries, and their escalations, until a later time. Deliveries that were
// created before a time say that they are late. Call it only in the transaction that moves the
// cursor of the planner.
//
// Errors: those of the database.
func Postpone(ctx context.Context, tx *sqldb.Tx, ids []int64, until, lateBefore time.Time) error {
	at := micros(until)
	_, err := updateRows(ctx, tx, ids, "escalate_at = CASE WHEN escalate_at > 0 THEN escalate_at + (? - next_at) ELSE 0 END, late = CASE WHEN created_at < ? THEN 1 ELSE late END, next_at = ?",
		"state = ?", at, micros(lateBefore), at, int16(Held))
	return err
}

// CloseDigests releases the held deliveries whose window has ended, in the order of their
// creation, and returns their number. Call it only in the transaction that moves the
// cursor of the planner.
//
// Errors: those of the database.
func CloseDigests(ctx context.Context, tx *sqldb.Tx, now time.Time) (closed int, err error) {
	var ids, lanes []int64
	var channels []string
	query := "SELECT d.id, d.lane, d.channel FROM notify_channels c" + tx.JoinInOrder(" JOIN deliveries d ON d.channel = c.name") + " WHERE d.state = ? AND d.next_at <= ?"
	err = tx.Query(ctx, query, []any{int16(Held), micros(now)}, func(rows *sql.Rows) error {
		var id, lane int64
		var channel string
		err := rows.Scan(&id, &lane, &channel)
		ids, lanes, channels = append(ids, id), append(lanes, lane), append(channels, channel)
		return err
	})
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	if _, err := lockChannels(ctx, tx, channels...); err != nil {
		return 0, err
	}
	slices.Sort(ids)
	changed, err := updateRows(ctx, tx, ids, "state = ?", "state = ?", int16(Behind), int16(Held))
	if err != nil {
		return 0, err
	}
	return int(changed), advance(ctx, tx, lanes, now)
}
