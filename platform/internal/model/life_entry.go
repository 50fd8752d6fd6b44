package model

import (
	"context"
	"database/sql"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// EachTransition calls each for all transitions of some objects, ordered by object and version. The
// reason is that of transitions to an outcome; that of others is empty.
func EachTransition(ctx context.Context, q sqldb.Querier, objects []int64, each func(object int64, t job.Transition)) error {
	if len(objects) == 0 {
		return nil
	}
	const columns = "object_id, to_state, CASE WHEN to_state IN ('Succeeded', 'Failed', 'Aborted') THEN reason ELSE '' END, happened_at, source"
	return q.Query(ctx, "SELECT "+columns+" FROM transitions WHERE object_id IN "+inList(objects)+" ORDER BY object_id, version", nil, func(rows *sql.Rows) error {
		var object, at int64
		var to, reason string
		var source Source
		err := rows.Scan(&object, &to, &reason, &at, &source)
		each(object, job.Transition{To: job.State(to), At: Time(at), Reason: reason, Inferred: source == Inferred || source == Relisted})
		return err
	})
}

// ObjectVersion holds the columns of an object that change without a transition.
type ObjectVersion struct {
	ID       int64
	Version  int64
	Presence Presence
}

// EachJobVersion calls each for jobs, ordered by row ID, up to limit jobs whose row ID is
// greater than after.
func EachJobVersion(ctx context.Context, q sqldb.Querier, after int64, limit int, each func(ObjectVersion)) error {
	const query = "SELECT o.id, o.version, o.presence FROM (SELECT object_id FROM jobs WHERE object_id > ? ORDER BY object_id LIMIT ?) j JOIN objects o ON o.id = j.object_id ORDER BY o.id"
	return q.Query(ctx, query, []any{after, limit}, func(rows *sql.Rows) error {
		var v ObjectVersion
		err := rows.Scan(&v.ID, &v.Version, &v.Presence)
		each(v)
		return err
	})
}

// LastObject returns the largest row ID of an object, or 0 without objects.
func LastObject(ctx context.Context, q sqldb.Querier) (int64, error) {
	id, _, err := queryNullInt(ctx, q, "SELECT MAX(id) FROM objects")
	return id, err
}
