package model

import (
	"context"

	"github.com/vedette-io/vedette/record/sqldb"
)

// FeedHead is where the feed ends and begins.
type FeedHead struct {
	Position int64 // the last one that was assigned
	Oldest   int64 // the last one whose row was deleted
}

// ReadFeedHead returns where the feed ends and begins.
func ReadFeedHead(ctx context.Context, q sqldb.Querier) (h FeedHead, err error) {
	err = q.QueryRow(ctx, "SELECT position, oldest FROM feed_head WHERE id = 1").Scan(&h.Position, &h.Oldest)
	return h, err
}

// FeedEnd is where the feed ends, and what waits behind it.
type FeedEnd struct {
	FeedHead
	Waiting int64 // the number of the oldest entry of the outbox; 0: none
}

// ReadFeedEnd returns where the feed ends and begins, and what waits in the outbox.
func ReadFeedEnd(ctx context.Context, q sqldb.Querier) (e FeedEnd, err error) {
	const query = "SELECT position, oldest, (SELECT COALESCE(MIN(id), 0) FROM feed_outbox) FROM feed_head WHERE id = 1"
	err = q.QueryRow(ctx, query).Scan(&e.Position, &e.Oldest, &e.Waiting)
	return e, err
}

// AdvanceFeed moves the end of the feed. It returns false if the end is elsewhere by now.
// The row stays locked until the transaction ends.
func AdvanceFeed(ctx context.Context, tx *sqldb.Tx, from, to int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE feed_head SET position = ? WHERE id = 1 AND position = ?", to, from)
	return n > 0, err
}

// ShortenFeed moves the beginning of the feed. It returns false if the beginning is
// elsewhere by now.
func ShortenFeed(ctx context.Context, tx *sqldb.Tx, from, to int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE feed_head SET oldest = ? WHERE id = 1 AND oldest = ?", to, from)
	return n > 0, err
}
