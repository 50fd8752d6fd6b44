package model

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// InsertFeed inserts entries at the consecutive positions that follow a position.
func InsertFeed(ctx context.Context, tx *sqldb.Tx, after int64, all []OutboxEntry, recordedAt int64) error {
	rows := make([][]any, len(all))
	for i, e := range all {
		rows[i] = []any{after + int64(i) + 1, e.Object, int64(e.Version), int16(e.Kind), recordedAt}
	}
	if err := tx.Insert(ctx, "feed", []string{"position", "object_id", "version", "kind", "recorded_at"}, rows); err != nil {
		return fmt.Errorf("table feed: %w", err)
	}
	return nil
}

// FeedRow is a row of the feed with its transition. Found is false if the transition is no
// longer stored.
type FeedRow struct {
	Position int64
	FeedEntry
	Found bool
	Transition
}

// FeedFilter selects the rows of a partition of the objects. A Divisor of 1 selects all.
type FeedFilter struct{ Remainder, Divisor int }

// feedHash is a hash of the ID of an object. IDs may increase in steps, as on Galera, so the
// remainder of an ID itself would leave partitions empty. The product permutes the integers
// below a prime, and fits into 64 bits. Its value must never change, because cursors depend
// on it.
const feedHash = "(f.object_id % 65521) * 40503 % 65521"

// ReadFeed calls each for the rows between two positions that a filter selects, in order.
// after is exclusive, and upTo is inclusive.
func ReadFeed(ctx context.Context, q sqldb.Querier, after, upTo int64, filter FeedFilter, each func(FeedRow)) error {
	where, args := "", []any{after, upTo}
	if filter.Divisor > 1 {
		where, args = " AND "+feedHash+" % ? = ?", append(args, filter.Divisor, filter.Remainder)
	}
	query := "SELECT f.position, f.object_id, f.version, f.kind, t.id, t.from_state, t.to_state, t.from_raw_state, t.to_raw_state, t.reason, t.message," +
		" t.happened_at, t.seen_at, t.source FROM feed f LEFT JOIN transitions t ON t.object_id = f.object_id AND t.version = f.version" +
		" WHERE f.position > ? AND f.position <= ?" + where + " ORDER BY f.position"
	return q.Query(ctx, query, args, func(rows *sql.Rows) error {
		var r FeedRow
		var version int64
		var id, happened, seen, source sql.NullInt64
		var from, to, fromRaw, toRaw, reason, message sql.NullString
		if err := rows.Scan(&r.Position, &r.Object, &version, &r.Kind, &id, &from, &to, &fromRaw, &toRaw, &reason, &message, &happened, &seen, &source); err != nil {
			return err
		}
		r.RevisionID.Version, r.Found = wire.Version(version), id.Valid
		r.Transition = Transition{
			ObjectID: r.Object, Version: wire.Version(version), From: from.String, To: to.String, FromRaw: fromRaw.String, ToRaw: toRaw.String,
			Reason: reason.String, Message: message.String, HappenedAt: happened.Int64, SeenAt: seen.Int64, Source: Source(source.Int64),
		}
		each(r)
		return nil
	})
}

// FirstUnread calls each for the objects among some that have rows after a position, with
// the version of the first such row.
func FirstUnread(ctx context.Context, q sqldb.Querier, after int64, objects []int64, each func(RevisionID)) error {
	return queryIn(ctx, q, "SELECT object_id, MIN(version) FROM feed WHERE position > ? AND object_id IN ", objects, " GROUP BY object_id", scanRevisionIDs(each), after)
}

// FirstRecordedSince returns the first position in a range that was assigned at a time or
// later. It returns false if there is none. after is exclusive, and upTo is inclusive.
func FirstRecordedSince(ctx context.Context, q sqldb.Querier, after, upTo, since int64) (int64, bool, error) {
	return queryNullInt(ctx, q, "SELECT MIN(position) FROM feed WHERE position > ? AND position <= ? AND recorded_at >= ?", after, upTo, since)
}

// DeleteFeed deletes the rows between two positions, and returns their number. after is
// exclusive, and upTo is inclusive.
func DeleteFeed(ctx context.Context, tx *sqldb.Tx, after, upTo int64) (int64, error) {
	return tx.Exec(ctx, "DELETE FROM feed WHERE position > ? AND position <= ?", after, upTo)
}

// FeedAmendment is an entry of the feed that amends earlier history: a late, corrected or
// withdrawn transition.
type FeedAmendment struct {
	FeedEntry
	RecordedAt int64
	From, To   string
	HappenedAt int64 // 0 if the transition is not stored
}

// FeedAmendments calls each for the late, corrected and withdrawn entries of an object, in
// the order of the feed, up to limit entries.
func FeedAmendments(ctx context.Context, q sqldb.Querier, object int64, limit int, each func(FeedAmendment)) error {
	const query = "SELECT f.version, f.kind, f.recorded_at, t.from_state, t.to_state, t.happened_at FROM feed f LEFT JOIN transitions t" +
		" ON t.object_id = f.object_id AND t.version = f.version WHERE f.object_id = ? AND f.kind NOT IN (?, ?) ORDER BY f.position LIMIT ?"
	return q.Query(ctx, query, []any{object, int16(FeedNew), int16(FeedDecided), limit}, func(rows *sql.Rows) error {
		var version int64
		var from, to sql.NullString
		var happened sql.NullInt64
		m := FeedAmendment{FeedEntry: FeedEntry{RevisionID: RevisionID{Object: object}}}
		if err := rows.Scan(&version, &m.Kind, &m.RecordedAt, &from, &to, &happened); err != nil {
			return err
		}
		m.Version, m.From, m.To, m.HappenedAt = wire.Version(version), from.String, to.String, happened.Int64
		each(m)
		return nil
	})
}
