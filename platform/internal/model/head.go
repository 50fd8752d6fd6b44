package model

import (
	"context"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// FeedHead holds the bounds of the feed.
type FeedHead struct {
	Position int64 // the last assigned position
	Oldest   int64 // the last position whose row was deleted
}

// ReadFeedHead returns the bounds of the feed.
func ReadFeedHead(ctx context.Context, q sqldb.Querier) (h FeedHead, err error) {
	err = q.QueryRow(ctx, "SELECT position, oldest FROM feed_head WHERE id = 1").Scan(&h.Position, &h.Oldest)
	return h, err
}

// FeedEnd holds the bounds of the feed, and the oldest entry of the outbox.
type FeedEnd struct {
	FeedHead
	Waiting int64 // row ID of the oldest entry of the outbox; 0: none
}

// ReadFeedEnd returns the bounds of the feed, and the oldest entry of the outbox.
func ReadFeedEnd(ctx context.Context, q sqldb.Querier) (e FeedEnd, err error) {
	const query = "SELECT position, oldest, (SELECT COALESCE(MIN(id), 0) FROM feed_outbox) FROM feed_head WHERE id = 1"
	err = q.QueryRow(ctx, query).Scan(&e.Position, &e.Oldest, &e.Waiting)
	return e, err
}

// AdvanceFeed moves the end of the feed. It returns false if the end is no longer at from.
// The row stays locked until the transaction ends.
func AdvanceFeed(ctx context.Context, tx *sqldb.Tx, from, to int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE feed_head SET position = ? WHERE id = 1 AND position = ?", to, from)
	return n > 0, err
}

// ShortenFeed moves the beginning of the feed. It returns false if the beginning is no
// longer at from.
func ShortenFeed(ctx context.Context, tx *sqldb.Tx, from, to int64) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE feed_head SET oldest = ? WHERE id = 1 AND oldest = ?", to, from)
	return n > 0, err
}
