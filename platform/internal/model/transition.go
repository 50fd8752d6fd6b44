package model

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Transition is a change of the state of an object.
type Transition struct {
	ObjectID        int64
	Version         wire.Version
	From, To        string
	FromRaw, ToRaw  string
	Reason, Message string
	HappenedAt      int64 // in microseconds
	SeenAt          int64
	Source          Source
}

var transitionColumns = []string{"object_id", "version", "from_state", "to_state", "from_raw_state", "to_raw_state", "reason", "message", "happened_at", "seen_at", "source"}

func (t *Transition) columns() []any {
	return []any{t.ObjectID, int64(t.Version), t.From, t.To, t.FromRaw, t.ToRaw, t.Reason, t.Message, t.HappenedAt, t.SeenAt, int16(t.Source)}
}

// InsertTransitions inserts transitions that are not stored yet.
func InsertTransitions(ctx context.Context, tx *sqldb.Tx, all []Transition) error {
	rows := make([][]any, len(all))
	for i := range all {
		rows[i] = all[i].columns()
	}
	if err := tx.Insert(ctx, "transitions", transitionColumns, rows); err != nil {
		return fmt.Errorf("table transitions: %w", err)
	}
	return nil
}

// InsertNewTransition inserts a transition unless the object has one at the same version.
func InsertNewTransition(ctx context.Context, tx *sqldb.Tx, t Transition) error {
	if err := tx.InsertNew(ctx, "transitions", transitionColumns, [][]any{t.columns()}, "version"); err != nil {
		return fmt.Errorf("table transitions: %w", err)
	}
	return nil
}

// TransitionTimes returns the times of all transitions of an object, in any order.
func TransitionTimes(ctx context.Context, q sqldb.Querier, object int64) ([]int64, error) {
	return queryInts(ctx, q, "SELECT happened_at FROM transitions WHERE object_id = ?", object)
}

// NeighborTimes holds the times of the transitions before and after a version.
type NeighborTimes struct {
	Before   int64 // 0: none
	After    int64
	HasAfter bool
}

// ReadNeighborTimes returns the times of the transitions next to a version of an object.
func ReadNeighborTimes(ctx context.Context, q sqldb.Querier, object int64, version wire.Version) (NeighborTimes, error) {
	var before, after sql.NullInt64
	row := q.QueryRow(ctx, "SELECT (SELECT happened_at FROM transitions WHERE object_id = ? AND version < ? ORDER BY version DESC LIMIT 1),"+
		" (SELECT happened_at FROM transitions WHERE object_id = ? AND version > ? ORDER BY version LIMIT 1)", object, int64(version), object, int64(version))
	err := row.Scan(&before, &after)
	return NeighborTimes{before.Int64, after.Int64, after.Valid}, err
}

// DeleteTransition deletes the transition of an object at a version. It returns false if
// there is none.
func DeleteTransition(ctx context.Context, tx *sqldb.Tx, object int64, version wire.Version) (bool, error) {
	n, err := tx.Exec(ctx, "DELETE FROM transitions WHERE object_id = ? AND version = ?", object, int64(version))
	return n > 0, err
}

// DeleteDeletions deletes the transitions of an object to the state Deleted, and returns
// their versions.
func DeleteDeletions(ctx context.Context, tx *sqldb.Tx, object int64) (versions []wire.Version, err error) {
	found, err := queryInts(ctx, tx, "SELECT version FROM transitions WHERE object_id = ? AND to_state = ?", object, string(job.Deleted))
	if err != nil {
		return nil, err
	}
	for _, v := range found {
		versions = append(versions, wire.Version(v))
	}
	_, err = tx.Exec(ctx, "DELETE FROM transitions WHERE object_id = ? AND to_state = ?", object, string(job.Deleted))
	return versions, err
}

// SetPreviousState changes the previous state of a transition. It returns false if the
// object has no transition at the version.
func SetPreviousState(ctx context.Context, tx *sqldb.Tx, object int64, version wire.Version, from, raw string) (bool, error) {
	n, err := tx.Exec(ctx, "UPDATE transitions SET from_state = ?, from_raw_state = ? WHERE object_id = ? AND version = ?", from, raw, object, int64(version))
	return n > 0, err
}

// StateBegan returns the version of the last transition of the object with a UID up to a
// version.
//
// Errors: sql.ErrNoRows if the revision at the version, or such a transition, is not
// recorded.
func StateBegan(ctx context.Context, q sqldb.Querier, uid string, at wire.Version, conditions ...Condition) (wire.Version, error) {
	and, args := join(conditions)
	began, found, err := queryNullInt(ctx, q, "SELECT (SELECT MAX(t.version) FROM transitions t WHERE t.object_id = o.id AND t.version <= ?) FROM objects o"+
		" JOIN revisions r ON r.object_id = o.id AND r.version = ? WHERE o.uid = ?"+and, append([]any{int64(at), int64(at), uid}, args...)...)
	if err == nil && !found {
		err = sql.ErrNoRows
	}
	return wire.Version(began), err
}

// ListedTransition is a transition as lists show it.
type ListedTransition struct {
	ID int64
	Transition
	EndedAt int64 // time of the next transition; 0: this is the last one
}

const listedTransitionColumns = "t.id, t.version, t.from_state, t.to_state, t.from_raw_state, t.to_raw_state, t.reason, t.message, t.happened_at, t.seen_at, t.source," +
	" (SELECT n.happened_at FROM transitions n WHERE n.object_id = t.object_id AND n.version > t.version ORDER BY n.version LIMIT 1)"

// targets returns the scan targets for listedTransitionColumns.
func (t *ListedTransition) targets(version *int64, ended *sql.NullInt64) []any {
	return []any{&t.ID, version, &t.From, &t.To, &t.FromRaw, &t.ToRaw, &t.Reason, &t.Message, &t.HappenedAt, &t.SeenAt, &t.Source, ended}
}

// ScanTransition reads a row of TransitionsOf, without the row ID of the object.
func ScanTransition(rows *sql.Rows) (t ListedTransition, err error) {
	var version int64
	var ended sql.NullInt64
	err = rows.Scan(t.targets(&version, &ended)...)
	t.Version, t.EndedAt = wire.Version(version), ended.Int64
	return t, err
}

// ScanChange reads a row of TransitionTable: a transition and its object.
func ScanChange(rows *sql.Rows) (t ListedTransition, o ListedObject, err error) {
	var version, last int64
	var ended sql.NullInt64
	err = rows.Scan(append(t.targets(&version, &ended), o.targets(&last)...)...)
	t.ObjectID, t.Version, t.EndedAt, o.Version = o.ID, wire.Version(version), ended.Int64, wire.Version(last)
	return t, o, err
}

// TransitionTable describes lists of transitions with their objects, ordered by the time of
// the transition.
var TransitionTable = &Table{
	name: "transitions t", objectJoin: " JOIN objects o ON o.id = t.object_id", nameJoins: objectNameJoins, columns: listedTransitionColumns + ", " + listedObjectColumns,
	at: "t.happened_at", id: "t.id", object: "t.object_id", state: "t.to_state", timeIndex: "transitions_time", stateIndex: "transitions_state",
}

// EndsObject is the condition, for TransitionTable, that an object ended with a transition
// to a final state. The deletion of an object that had ended before does not meet it. Each
// ended object has one such transition.
func EndsObject() Condition {
	return Condition{SQL: "((t.to_state = 'Deleted' AND t.from_state NOT IN ('Succeeded', 'Failed', 'Aborted')) OR (t.to_state <> 'Deleted'" +
		" AND NOT EXISTS (SELECT 1 FROM transitions n WHERE n.object_id = t.object_id AND n.version > t.version AND n.to_state <> 'Deleted')))"}
}

// TransitionsOf returns the query for the transitions of an object, ordered by version.
// ScanTransition reads its rows.
func TransitionsOf(object int64) Query {
	return Query{"SELECT " + listedTransitionColumns + " FROM transitions t WHERE t.object_id = ?", []any{object}, "t.version"}
}

// LastTransitions calls each for some objects with the version of their last transition.
func LastTransitions(ctx context.Context, q sqldb.Querier, objects []int64, each func(object int64, version wire.Version)) error {
	return queryIn(ctx, q, "SELECT object_id, MAX(version) FROM transitions WHERE object_id IN ", objects, " GROUP BY object_id", func(rows *sql.Rows) error {
		var object, version int64
		if err := rows.Scan(&object, &version); err != nil {
			return err
		}
		each(object, wire.Version(version))
		return nil
	})
}

// StatesBeforeDeletion calls each for the deleted objects among some, with their previous
// state.
func StatesBeforeDeletion(ctx context.Context, q sqldb.Querier, objects []int64, each func(object int64, state string)) error {
	query := "SELECT object_id, from_state FROM transitions WHERE to_state = '" + string(job.Deleted) + "' AND object_id IN "
	return queryIn(ctx, q, query, objects, "", func(rows *sql.Rows) error {
		var object int64
		var from string
		if err := rows.Scan(&object, &from); err != nil {
			return err
		}
		each(object, from)
		return nil
	})
}

// TransitionsUpTo calls each for the transitions of some objects up to a version.
func TransitionsUpTo(ctx context.Context, q sqldb.Querier, version wire.Version, objects []int64, each func(id, object int64, version wire.Version, happenedAt int64)) error {
	return queryIn(ctx, q, "SELECT id, object_id, version, happened_at FROM transitions WHERE version <= ? AND object_id IN ", objects, "", func(rows *sql.Rows) error {
		var id, object, version, at int64
		if err := rows.Scan(&id, &object, &version, &at); err != nil {
			return err
		}
		each(id, object, wire.Version(version), at)
		return nil
	}, int64(version))
}

// TransitionsWithRevisions calls each for the transitions of some objects. with is the
// version of the first deletable revision at the transition or after it, or 0 if there is
// none. The keyframe of the next differences is not deletable, unless the object is
// deleted.
func TransitionsWithRevisions(ctx context.Context, q sqldb.Querier, objects []int64, each func(object int64, version, with wire.Version)) error {
	return queryIn(ctx, q, "SELECT t.object_id, t.version, (SELECT MIN(r.version) FROM revisions r JOIN objects o ON o.id = r.object_id"+
		" WHERE r.object_id = t.object_id AND r.version >= t.version AND (r.version <> o.keyframe_version OR o.presence = ?)) FROM transitions t WHERE t.object_id IN ", objects, "", func(rows *sql.Rows) error {
		var object, version int64
		var with sql.NullInt64
		if err := rows.Scan(&object, &version, &with); err != nil {
			return err
		}
		each(object, wire.Version(version), wire.Version(with.Int64))
		return nil
	}, int16(Deleted))
}

// DeleteTransitions deletes rows of transitions, and returns the number of deleted rows.
func DeleteTransitions(ctx context.Context, tx *sqldb.Tx, ids []int64) (int64, error) {
	return execIn(ctx, tx, "DELETE FROM transitions WHERE id IN ", ids)
}

// DeleteTransitionsOf deletes all transitions of objects, and returns the number of deleted
// rows.
func DeleteTransitionsOf(ctx context.Context, tx *sqldb.Tx, objects []int64) (int64, error) {
	return execIn(ctx, tx, "DELETE FROM transitions WHERE object_id IN ", objects)
}
