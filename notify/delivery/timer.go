package delivery

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/vedette-io/vedette/record/sqldb"
)

// Timer says when the planner has to look at the state of an object again.
type Timer struct {
	ID int64
	// Key names the timer. It never changes. Timers that are read have none.
	Key string
	// Kind says what the timer waits for, in at most 63 bytes.
	Kind string
	// Due is when the planner looks at the object.
	Due time.Time
	// Object is the number of the object, and Version the one with which the state began.
	Object  int64
	Version uint64
	// Rule is the ID of the rule.
	Rule string
	// Fired says that the message was written. The timer stays until the state is left.
	Fired bool
}

// SetTimers stores timers. Timers whose key the database has stay as they are.
//
// Errors: those of the database.
func SetTimers(ctx context.Context, tx *sqldb.Tx, all []Timer) error {
	if len(all) == 0 {
		return nil
	}
	rows := make([][]any, len(all))
	for i := range all {
		t := &all[i]
		rows[i] = []any{digestOf("timer", t.Key), cut(t.Kind, maxKind), micros(t.Due), t.Object, int64(t.Version), cut(t.Rule, maxWord), int16(0)}
	}
	return tx.InsertNew(ctx, "notify_timers", []string{"key_hash", "kind", "due_at", "object_id", "version", "rule_id", "fired"}, rows, "key_hash")
}

// AdvanceTimers lets timers that have not fired be due earlier. Other timers stay as they
// are.
//
// Errors: those of the database.
func AdvanceTimers(ctx context.Context, tx *sqldb.Tx, all []Timer) error {
	for i := range all {
		due := micros(all[i].Due)
		if _, err := tx.Exec(ctx, "UPDATE notify_timers SET due_at = ? WHERE key_hash = ? AND fired = 0 AND due_at > ?", due, digestOf("timer", all[i].Key), due); err != nil {
			return err
		}
	}
	return nil
}

// DueTimers returns the timers that are due at a time, in the order of their times, at
// most limit.
//
// Errors: those of the database.
func DueTimers(ctx context.Context, q sqldb.Querier, now time.Time, limit int) (due []Timer, err error) {
	err = q.Query(ctx, "SELECT id, kind, due_at, object_id, version, rule_id, fired FROM notify_timers WHERE due_at <= ? ORDER BY due_at, id LIMIT ?",
		[]any{micros(now), limit}, func(rows *sql.Rows) error {
			var t Timer
			var at, version int64
			var fired int16
			err := rows.Scan(&t.ID, &t.Kind, &at, &t.Object, &version, &t.Rule, &fired)
			t.Due, t.Version, t.Fired = moment(at), uint64(version), fired != 0
			due = append(due, t)
			return err
		})
	return due, err
}

// MoveTimers stores when timers are due, and whether they have fired. Timers that do not
// exist any more are left out.
//
// Errors: those of the database.
func MoveTimers(ctx context.Context, tx *sqldb.Tx, all []Timer) error {
	if len(all) == 0 {
		return nil
	}
	rows := make([][]any, len(all))
	for i := range all {
		rows[i] = []any{all[i].ID, micros(all[i].Due), number(all[i].Fired)}
	}
	return tx.Update(ctx, "notify_timers", []string{"id", "due_at", "fired"}, rows)
}

// RemoveTimers deletes timers.
//
// Errors: those of the database.
func RemoveTimers(ctx context.Context, tx *sqldb.Tx, all []Timer) error {
	for some := range slices.Chunk(all, chunk) {
		ids := make([]int64, len(some))
		for i := range some {
			ids[i] = some[i].ID
		}
		if _, err := tx.Exec(ctx, "DELETE FROM notify_timers WHERE id IN "+in(ids)); err != nil {
			return err
		}
	}
	return nil
}
