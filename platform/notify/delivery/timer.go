package delivery

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Timer is the time when the planner must check the state of an object again.
type Timer struct {
	ID int64
	// Key identifies the timer. It never changes. Timers that are read have no key.
	Key string
	// Kind is the kind of the timer, at most 63 bytes.
	Kind string
	// Due is the time when the planner checks the object.
	Due time.Time
	// Object is the row ID of the object, and Version the version at which the state
	// began.
	Object  int64
	Version uint64
	// Rule is the ID of the rule.
	Rule string
	// Fired is set if the message was created. The timer stays until the state is left.
	Fired bool
}

// SetTimers stores timers. It does not change timers whose key exists.
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

// AdvanceTimers moves timers that have not fired to an earlier time. It does not change
// other timers.
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

// DueTimers returns the timers of some rules that are due, ordered by time, at most limit.
// Another notifier may know the rules of the others.
//
// Errors: those of the database.
func DueTimers(ctx context.Context, q sqldb.Querier, now time.Time, rules []string, limit int) (due []Timer, err error) {
	if len(rules) == 0 {
		return nil, nil
	}
	list, args := listOf(rules)
	args = append(append([]any{micros(now)}, args...), limit)
	err = q.Query(ctx, "SELECT id, kind, due_at, object_id, version, rule_id, fired FROM notify_timers WHERE due_at <= ? AND rule_id IN "+list+" ORDER BY due_at, id LIMIT ?",
		args, func(rows *sql.Rows) error {
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

// listOf returns the placeholders and the values of a list of rules.
func listOf(rules []string) (list string, values []any) {
	for _, id := range rules {
		values = append(values, cut(id, maxWord))
	}
	return "(?" + strings.Repeat(", ?", len(rules)-1) + ")", values
}

// ForgetTimers removes timers that were due before an instant, at most limit, and whose rules
// are not among the known ones: no notifier has had these rules since. It also removes the
// marks of their rules, so that a rule that comes back begins as a new one. It returns the
// number of removed timers.
//
// Errors: those of the database.
func ForgetTimers(ctx context.Context, tx *sqldb.Tx, before time.Time, known []string, limit int) (int, error) {
	query, args := "SELECT id, rule_id FROM notify_timers WHERE due_at < ?", []any{micros(before)}
	if len(known) > 0 {
		list, values := listOf(known)
		query, args = query+" AND rule_id NOT IN "+list, append(args, values...)
	}
	var old []Timer
	err := tx.Query(ctx, query+" ORDER BY id LIMIT ?", append(args, limit), func(rows *sql.Rows) error {
		var t Timer
		err := rows.Scan(&t.ID, &t.Rule)
		old = append(old, t)
		return err
	})
	if err != nil || len(old) == 0 {
		return 0, err
	}
	forgotten := map[string]bool{}
	for i := range old {
		if forgotten[old[i].Rule] {
			continue
		}
		forgotten[old[i].Rule] = true
		if _, err := tx.Exec(ctx, "DELETE FROM notify_marks WHERE name = ?", TimerMark(old[i].Rule)); err != nil {
			return 0, err
		}
	}
	return len(old), RemoveTimers(ctx, tx, old)
}

// MoveTimers stores new times of timers, and whether they have fired. It ignores timers
// that no longer exist.
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
