package model

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// FeedKind is the reason why a transition is in the feed. The database stores its number.
type FeedKind int16

const (
	// FeedNew transitions are later than all other transitions of their object.
	FeedNew FeedKind = iota + 1
	// FeedLate transitions were missed at first, and their object had a later revision when
	// they were stored.
	FeedLate
	// FeedCorrected transitions replace an inferred value: their previous state has
	// changed, their revision was not a transition before, or they replace an inferred
	// deletion.
	FeedCorrected
	// FeedWithdrawn entries name a revision that is no longer a transition.
	FeedWithdrawn
	// FeedDecided entries name a job whose status has changed without a transition of its
	// object, at the last version of the object. They are no transitions.
	FeedDecided
)

// FeedEntry records that a transaction has changed a transition, or the status of a job.
type FeedEntry struct {
	RevisionID
	Kind FeedKind
}

// OutboxEntry is an entry that waits in the outbox for its position.
type OutboxEntry struct {
	ID int64
	FeedEntry
}

// InsertOutbox inserts entries in the order of their later positions.
func InsertOutbox(ctx context.Context, tx *sqldb.Tx, all []FeedEntry) error {
	rows := make([][]any, len(all))
	for i, e := range all {
		rows[i] = []any{e.Object, int64(e.Version), int16(e.Kind)}
	}
	if err := tx.Insert(ctx, "feed_outbox", []string{"object_id", "version", "kind"}, rows); err != nil {
		return fmt.Errorf("table feed_outbox: %w", err)
	}
	return nil
}

// ReadOutbox returns the entries of committed transactions, ordered by row ID, up to limit
// entries.
func ReadOutbox(ctx context.Context, q sqldb.Querier, limit int) (all []OutboxEntry, err error) {
	err = q.Query(ctx, "SELECT id, object_id, version, kind FROM feed_outbox ORDER BY id LIMIT ?", []any{limit}, func(rows *sql.Rows) error {
		var w OutboxEntry
		var version int64
		err := rows.Scan(&w.ID, &w.Object, &version, &w.Kind)
		w.Version = wire.Version(version)
		all = append(all, w)
		return err
	})
	return all, err
}

// DeleteOutbox deletes rows, and returns the number of deleted rows.
func DeleteOutbox(ctx context.Context, tx *sqldb.Tx, ids []int64) (int64, error) {
	return execIn(ctx, tx, "DELETE FROM feed_outbox WHERE id IN ", ids)
}

// FirstWaiting calls each for the objects among some that have entries in the outbox, with
// the version of the first entry.
func FirstWaiting(ctx context.Context, q sqldb.Querier, objects []int64, each func(RevisionID)) error {
	return queryIn(ctx, q, "SELECT object_id, MIN(version) FROM feed_outbox WHERE object_id IN ", objects, " GROUP BY object_id", scanRevisionIDs(each))
}

// scanRevisionIDs returns a scan function that calls each for every row.
func scanRevisionIDs(each func(RevisionID)) func(rows *sql.Rows) error {
	return func(rows *sql.Rows) error {
		var object, version int64
		err := rows.Scan(&object, &version)
		each(RevisionID{object, wire.Version(version)})
		return err
	}
}
