package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// ErrUnknown is the error for a delivery, mute, silence or subscription that does not exist or is
// in another state.
var ErrUnknown = errors.New("no row has this number")

// Filter selects deliveries. The zero value selects all.
type Filter struct {
	// Channel, Person and Object select by equality; "" and 0 select all.
	Channel, Person string
	Object          int64
	// States are the selected states; none means all.
	States []State
	// Since selects deliveries that are due, or ended, at this time or later.
	Since time.Time
	// Before selects deliveries with smaller IDs, for the next page; 0 means the first
	// page.
	Before int64
	// Limit is the maximum number of results; default 100.
	Limit int
}

// List returns deliveries, newest first.
//
// Errors: those of the database.
func List(ctx context.Context, q sqldb.Querier, f Filter) ([]Delivery, error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	var names []string
	hint := ""
	if len(f.States) > 0 && f.Object == 0 { // the index of channels and states can be used
		channels, err := Channels(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, c := range channels {
			if f.Channel == "" || f.Channel == c.Name {
				names = append(names, c.Name)
			}
		}
		if len(names) == 0 {
			return nil, nil
		}
		if h, ok := q.(interface{ UseIndex(string) string }); ok { // DB and Tx have this method
			hint = h.UseIndex("deliveries_due")
		}
	}
	condition, args := f.condition(names)
	return selectDeliveries(ctx, q, "FROM deliveries d"+hint+" WHERE "+condition+" ORDER BY d.id DESC LIMIT ?", append(args, f.Limit)...)
}

// condition returns the SQL condition of the filter. names are the channels; nil means the
// channel of the filter.
func (f *Filter) condition(names []string) (condition string, args []any) {
	all := []string{"d.next_at >= ?"}
	args = []any{micros(f.Since)}
	add := func(sql string, values ...any) { all, args = append(all, sql), append(args, values...) }
	if names == nil && f.Channel != "" {
		names = []string{f.Channel}
	}
	if len(names) > 0 {
		add("d.channel IN "+sqldb.Placeholders(len(names)), anys(names)...)
	}
	if f.Person != "" {
		add("d.person = ?", f.Person)
	}
	if f.Object != 0 {
		add("d.object_id = ?", f.Object)
	}
	if f.Before != 0 {
		add("d.id < ?", f.Before)
	}
	if len(f.States) > 0 {
		add("d.state IN "+sqldb.Placeholders(len(f.States)), anys(f.States)...)
	}
	return strings.Join(all, " AND "), args
}

// Thread returns the Ref of the first message of a lane that the channel accepted, or "".
// Later messages can reply to it.
//
// Errors: those of the database.
func Thread(ctx context.Context, q sqldb.Querier, lane int64) (ref string, err error) {
	err = q.QueryRow(ctx, "SELECT ref FROM deliveries WHERE lane = ? AND state = ? ORDER BY id LIMIT 1", lane, int16(Sent)).Scan(&ref)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return ref, err
}

// Show returns a delivery, and its items if it is a digest.
//
// Errors: ErrUnknown; those of the database.
func Show(ctx context.Context, q sqldb.Querier, id int64) (Delivery, []Item, error) {
	all, err := selectDeliveries(ctx, q, "FROM deliveries d WHERE d.id = ?", id)
	if err != nil {
		return Delivery{}, nil, err
	}
	if len(all) == 0 {
		return Delivery{}, nil, fmt.Errorf("delivery %d: %w", id, ErrUnknown)
	}
	items, err := Items(ctx, q, id)
	return all[0], items, err
}

// Find returns the delivery with a key.
//
// Errors: ErrUnknown; those of the database.
func Find(ctx context.Context, q sqldb.Querier, key string) (Delivery, error) {
	all, err := selectDeliveries(ctx, q, "FROM deliveries d WHERE d.key_hash = ?", digestOf("key", key))
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("a delivery with this key: %w", ErrUnknown)
	}
	if err != nil {
		return Delivery{}, err
	}
	return all[0], nil
}

// Replay sends dead letters again, with the same keys. Their messages say that they are
// late, and have no order. by is the person who requests it. It returns how many of the
// IDs were dead letters.
//
// Errors: those of the database.
func Replay(ctx context.Context, db *sqldb.DB, by string, ids ...int64) (replayed int, err error) {
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		if replayed, err = replay(ctx, tx, ids); err != nil {
			return err
		}
		return audit(ctx, tx, by, "replay", fmt.Sprintf("%d dead letters: %v", replayed, ids))
	})
	return replayed, err
}

// replay gives each dead letter its own lane, so that it neither waits for other
// deliveries nor delays them.
func replay(ctx context.Context, tx *sqldb.Tx, ids []int64) (int, error) {
	n, err := updateRows(ctx, tx, slices.Sorted(slices.Values(ids)), "state = ?, lane = -id, attempts = 0, rescues = 0, next_at = ?, late = 1, replay = 1", "state = ?",
		int16(Waiting), micros(tx.Now()), int16(Dead))
	return int(n), err
}

// Recover resends all dead letters of a channel that failed at a time or later, and ends a
// pause of the channel. by is the person who requests it. It works in steps, so after an
// error the rest are still dead letters.
//
// Errors: those of the database.
func Recover(ctx context.Context, db *sqldb.DB, channel string, since time.Time, by string) (replayed int, err error) {
	until := micros(db.Now())
	for {
		var n int
		err := db.Transact(ctx, func(tx *sqldb.Tx) error {
			ids, err := selectNumbers(ctx, tx, "SELECT d.id FROM deliveries d"+tx.UseIndex("deliveries_due")+
				" WHERE d.channel = ? AND d.state = ? AND d.next_at >= ? AND d.next_at <= ? ORDER BY d.next_at, d.id LIMIT ?", channel, int16(Dead), micros(since), until, 5*chunk)
			if err != nil {
				return err
			}
			n, err = replay(ctx, tx, ids)
			return err
		})
		if err != nil {
			return replayed, fmt.Errorf("recover channel %s: %w", channel, err)
		}
		if replayed += n; n == 0 {
			break
		}
	}
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		locked, err := lockChannels(ctx, tx, channel)
		if err != nil {
			return err
		}
		if c := &locked[0]; c.Cause == Broken {
			c.PausedUntil = tx.Now()
			if err := c.save(ctx, tx, tx.Now()); err != nil {
				return err
			}
		}
		return audit(ctx, tx, by, "recover", fmt.Sprintf("channel %s since %s: %d dead letters", channel, since.UTC().Format(time.RFC3339), replayed))
	})
	return replayed, err
}

// Drop ends dead letters permanently, and returns how many of the IDs were dead letters.
// by is the person who requests it.
//
// Errors: those of the database.
func Drop(ctx context.Context, db *sqldb.DB, by string, ids ...int64) (dropped int, err error) {
	err = db.Transact(ctx, func(tx *sqldb.Tx) error {
		n, err := end(ctx, tx, slices.Sorted(slices.Values(ids)), Dead, Dropped, tx.Now())
		if dropped = int(n); err != nil {
			return err
		}
		return audit(ctx, tx, by, "drop", fmt.Sprintf("%d dead letters: %v", dropped, ids))
	})
	return dropped, err
}

// Enable enables a disabled channel. by is the person who requests it.
//
// Errors: those of the database.
func Enable(ctx context.Context, db *sqldb.DB, channel, by string) error {
	return db.Transact(ctx, func(tx *sqldb.Tx) error {
		locked, err := lockChannels(ctx, tx, channel)
		if err != nil {
			return err
		}
		c := &locked[0]
		c.DisabledAt, c.Reason, c.Failures, c.PausedUntil, c.Cause, c.trial = time.Time{}, "", 0, time.Time{}, Running, 0
		if err := c.save(ctx, tx, tx.Now()); err != nil {
			return err
		}
		return audit(ctx, tx, by, "enable", "channel "+channel)
	})
}

// Recent returns the number of deliveries for a receiver that were created at a time or
// later, or wait in a digest since then. Silenced ones do not count.
//
// Errors: those of the database.
func Recent(ctx context.Context, q sqldb.Querier, channel, receiver string, since time.Time) (n int, err error) {
	err = q.QueryRow(ctx, "SELECT COUNT(*) FROM deliveries WHERE receiver_hash = ? AND created_at >= ? AND state <> ?", receiverHash(channel, receiver), micros(since), int16(Silenced)).Scan(&n)
	return n, err
}

// Count is the number of deliveries of a channel in a state.
type Count struct {
	Channel string
	State   State
	N       int
	// Oldest is the creation time of the oldest of them.
	Oldest time.Time
}

// Counts counts the unsent deliveries and the dead letters of each channel.
//
// Errors: those of the database.
func Counts(ctx context.Context, q *sqldb.DB) (all []Count, err error) {
	var oldest []int64
	query := "SELECT c.name, d.state, COUNT(*), MIN(d.id) FROM notify_channels c" + q.JoinInOrder(" JOIN deliveries d ON d.channel = c.name") +
		" WHERE d.state IN (?, ?, ?, ?, ?) GROUP BY c.name, d.state ORDER BY c.name, d.state"
	err = q.Query(ctx, query, []any{int16(Held), int16(Behind), int16(Waiting), int16(Sending), int16(Dead)}, func(rows *sql.Rows) error {
		var c Count
		var id int64
		err := rows.Scan(&c.Channel, &c.State, &c.N, &id)
		all, oldest = append(all, c), append(oldest, id)
		return err
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	created := map[int64]int64{}
	err = q.Query(ctx, "SELECT id, created_at FROM deliveries WHERE id IN "+in(oldest), nil, func(rows *sql.Rows) error {
		var id, at int64
		err := rows.Scan(&id, &at)
		created[id] = at
		return err
	})
	for i := range all {
		all[i].Oldest = moment(created[oldest[i]])
	}
	return all, err
}

// SentSince counts the deliveries of each channel that were sent at a time or later.
//
// Errors: those of the database.
func SentSince(ctx context.Context, q *sqldb.DB, since time.Time) (map[string]int, error) {
	all := map[string]int{}
	query := "SELECT c.name, COUNT(*) FROM notify_channels c" + q.JoinInOrder(" JOIN deliveries d ON d.channel = c.name") +
		" WHERE d.state = ? AND d.next_at >= ? GROUP BY c.name"
	return all, q.Query(ctx, query, []any{int16(Sent), micros(since)}, func(rows *sql.Rows) error {
		var name string
		var n int
		err := rows.Scan(&name, &n)
		all[name] = n
		return err
	})
}
