package model

import (
	"context"
	"database/sql"

	"github.com/vedette-io/vedette/record/sqldb"
)

// LifeEntry is what the life of an object takes from one of its transitions.
type LifeEntry struct {
	Object int64
	To     string
	Reason string // of transitions with which an object ended; others leave it empty
	At     int64  // when it happened, in microseconds
	Source Source
}

// EachLifeEntry calls each for all transitions of some objects, in the order of objects and of
// versions.
func EachLifeEntry(ctx context.Context, q sqldb.Querier, objects []int64, each func(LifeEntry)) error {
	if len(objects) == 0 {
		return nil
	}
	const columns = "object_id, to_state, CASE WHEN to_state IN ('Succeeded', 'Failed', 'Aborted') THEN reason ELSE '' END, happened_at, source"
	return q.Query(ctx, "SELECT "+columns+" FROM transitions WHERE object_id IN "+inNumbers(objects)+" ORDER BY object_id, version", nil, func(rows *sql.Rows) error {
		var e LifeEntry
		err := rows.Scan(&e.Object, &e.To, &e.Reason, &e.At, &e.Source)
		each(e)
		return err
	})
}

// ObjectMark is what changes with an object beside its transitions.
type ObjectMark struct {
	ID       int64
	Version  int64
	Presence Presence
}

// EachMark calls each for the objects of some types in the order of their numbers: at most
// limit of those after a number.
func EachMark(ctx context.Context, q sqldb.Querier, types []int64, after int64, limit int, each func(ObjectMark)) error {
	if len(types) == 0 {
		return nil
	}
	query := "SELECT o.id, o.version, o.presence FROM objects o WHERE o.id > ? AND o.resource_id IN " + inNumbers(types) + " AND o.version > 0 ORDER BY o.id LIMIT ?"
	return q.Query(ctx, query, []any{after, limit}, func(rows *sql.Rows) error {
		var m ObjectMark
		err := rows.Scan(&m.ID, &m.Version, &m.Presence)
		each(m)
		return err
	})
}

// MarksOf calls each for those of some objects that exist.
func MarksOf(ctx context.Context, q sqldb.Querier, objects []int64, each func(ObjectMark)) error {
	return queryIn(ctx, q, "SELECT id, version, presence FROM objects WHERE id IN ", objects, "", func(rows *sql.Rows) error {
		var m ObjectMark
		err := rows.Scan(&m.ID, &m.Version, &m.Presence)
		each(m)
		return err
	})
}
