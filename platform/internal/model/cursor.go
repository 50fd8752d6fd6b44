package model

import (
	"context"
	"database/sql"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// FeedCursor is a row of the table of cursors.
type FeedCursor struct {
	Name                         string
	Position                     int64
	Token                        int64 // increases with each transaction of the reader
	Owner                        string
	CreatedAt, SeenAt, ExpiredAt int64 // in microseconds
}

// FeedPoll holds the values that a reader of the feed polls.
type FeedPoll struct {
	FeedHead
	Waits  bool // the outbox has entries
	Cursor FeedCursor
}

// PollFeed returns the state of the feed and of one cursor, without its name.
//
// Errors: sql.ErrNoRows if the cursor does not exist.
func PollFeed(ctx context.Context, q sqldb.Querier, name string) (p FeedPoll, err error) {
	const query = "SELECT h.position, h.oldest, (SELECT COUNT(*) FROM (SELECT id FROM feed_outbox LIMIT 1) w), c.position, c.token, c.owner, c.seen_at, c.expired_at" +
		" FROM feed_head h, feed_cursors c WHERE h.id = 1 AND c.name = ?"
	err = q.QueryRow(ctx, query, name).Scan(&p.Position, &p.Oldest, &p.Waits, &p.Cursor.Position, &p.Cursor.Token, &p.Cursor.Owner, &p.Cursor.SeenAt, &p.Cursor.ExpiredAt)
	return p, err
}

// InsertFeedCursor inserts a cursor unless its name is taken.
func InsertFeedCursor(ctx context.Context, tx *sqldb.Tx, c FeedCursor) error {
	row := []any{c.Name, c.Position, c.Token, c.Owner, c.CreatedAt, c.SeenAt, c.ExpiredAt}
	return tx.InsertNew(ctx, "feed_cursors", []string{"name", "position", "token", "owner", "created_at", "seen_at", "expired_at"}, [][]any{row}, "name")
}

// AdvanceFeedCursor moves a cursor, and increases its token. It returns false if the token
// has changed or the cursor has expired. The row stays locked until the transaction ends.
func AdvanceFeedCursor(ctx context.Context, tx *sqldb.Tx, c FeedCursor) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE feed_cursors SET position = ?, token = token + 1, owner = ?, seen_at = ? WHERE name = ? AND token = ? AND expired_at = 0",
		c.Position, c.Owner, c.SeenAt, c.Name, c.Token)
	return n > 0, err
}

// TouchFeedCursor stores the time when a cursor was last used, unless the cursor has
// expired.
func TouchFeedCursor(ctx context.Context, tx *sqldb.Tx, name string, seenAt int64) error {
	_, err := tx.Exec(ctx, "UPDATE feed_cursors SET seen_at = ? WHERE name = ? AND expired_at = 0", seenAt, name)
	return err
}

// RenewFeedCursor stores the time when the holder of a cursor was last alive. It returns
// false if the token has changed or the cursor has expired.
func RenewFeedCursor(ctx context.Context, tx *sqldb.Tx, name string, token, seenAt int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE feed_cursors SET seen_at = ? WHERE name = ? AND token = ? AND expired_at = 0", seenAt, name, token)
	return n > 0, err
}

// ReleaseFeedCursor removes the owner of a cursor, unless the token has changed.
func ReleaseFeedCursor(ctx context.Context, tx *sqldb.Tx, name string, token int64) error {
	_, err := tx.Exec(ctx, "UPDATE feed_cursors SET owner = '' WHERE name = ? AND token = ?", name, token)
	return err
}

// ResetFeedCursor moves a cursor to any position and makes it live again. It returns false
// if the cursor does not exist.
func ResetFeedCursor(ctx context.Context, tx *sqldb.Tx, name string, position, seenAt int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE feed_cursors SET position = ?, token = token + 1, seen_at = ?, expired_at = 0 WHERE name = ?", position, seenAt, name)
	return n > 0, err
}

// ExpireFeedCursor marks a cursor as expired, unless it was used since seenAt. It reports
// whether it did.
func ExpireFeedCursor(ctx context.Context, tx *sqldb.Tx, name string, seenAt, now int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE feed_cursors SET expired_at = ? WHERE name = ? AND seen_at = ? AND expired_at = 0", now, name, seenAt)
	return n > 0, err
}

// DeleteFeedCursor deletes a cursor. It returns false if the cursor does not exist.
func DeleteFeedCursor(ctx context.Context, tx *sqldb.Tx, name string) (bool, error) {
	n, err := tx.Exec(ctx, "DELETE FROM feed_cursors WHERE name = ?", name)
	return n > 0, err
}

// DeleteFeedCursorAt deletes a cursor unless its token has changed. It reports whether it
// did.
func DeleteFeedCursorAt(ctx context.Context, tx *sqldb.Tx, name string, token int64) (bool, error) {
	n, err := tx.Exec(ctx, "DELETE FROM feed_cursors WHERE name = ? AND token = ?", name, token)
	return n > 0, err
}

// FeedCursors returns all cursors in the order of their names.
func FeedCursors(ctx context.Context, q sqldb.Querier) (all []FeedCursor, err error) {
	err = q.Query(ctx, "SELECT name, position, token, owner, created_at, seen_at, expired_at FROM feed_cursors ORDER BY name", nil, func(rows *sql.Rows) error {
		var c FeedCursor
		err := rows.Scan(&c.Name, &c.Position, &c.Token, &c.Owner, &c.CreatedAt, &c.SeenAt, &c.ExpiredAt)
		all = append(all, c)
		return err
	})
	return all, err
}

// FirstLiveCursor returns the smallest position of all live cursors that were used at
// seenSince or later. It returns false if there is no such cursor.
func FirstLiveCursor(ctx context.Context, q sqldb.Querier, seenSince int64) (int64, bool, error) {
	return queryNullInt(ctx, q, "SELECT MIN(position) FROM feed_cursors WHERE expired_at = 0 AND seen_at >= ?", seenSince)
}
