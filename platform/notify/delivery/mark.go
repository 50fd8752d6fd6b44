package delivery

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Mark returns the progress of a task of the planner, or "" if it has not begun.
//
// Errors: those of the database.
func Mark(ctx context.Context, q sqldb.Querier, name string) (content string, err error) {
	err = q.QueryRow(ctx, "SELECT content FROM notify_marks WHERE name = ?", cut(name, maxWord)).Scan(&content)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return content, err
}

// SetMark stores the progress of a task of the planner. Call it in the transaction that
// does the work.
//
// Errors: those of the database.
func SetMark(ctx context.Context, tx *sqldb.Tx, name, content string) error {
	name, content = cut(name, maxWord), cut(content, maxKey)
	changed, err := tx.Exec(ctx, "UPDATE notify_marks SET content = ? WHERE name = ?", content, name)
	if err == nil && changed == 0 {
		err = tx.InsertNew(ctx, "notify_marks", []string{"name", "content"}, [][]any{{name, content}}, "name")
	}
	return err
}

// TimerMark returns the name of the mark of a rule with a timer.
func TimerMark(rule string) string { return cut("timer/"+rule, maxWord) }

// LockPlanners makes the transaction of a planner exclude those of other planners until it
// ends. Digests and limits depend on the rows of other planners. The row changes each time,
// so that servers of a cluster, which do not share locks, find the conflict when they commit.
//
// Errors: those of the database.
func LockPlanners(ctx context.Context, tx *sqldb.Tx, by string) error {
	return touch(ctx, tx, "planners", by)
}

// touch changes a mark, and so locks its row until the transaction ends.
func touch(ctx context.Context, tx *sqldb.Tx, name, by string) error {
	content := by + " " + strconv.FormatInt(time.Now().UnixNano(), 10)
	if err := SetMark(ctx, tx, name, content); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "UPDATE notify_marks SET content = ? WHERE name = ?", content+".", name) // SetMark may have found the row of another transaction
	return err
}
