package delivery

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/record/sqldb"
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

// fileMark begins the names of the marks with the files of notifiers.
const fileMark = "file/"

// ReportedFile is the file of rules that a notifier has.
type ReportedFile struct {
	// Notifier is the name of the process.
	Notifier string
	// Hash identifies the text of the file.
	Hash string
	// At is when the notifier last reported it.
	At time.Time
}

// ReportFile stores the file that a notifier has, and removes reports from before an instant.
//
// Errors: those of the database.
func ReportFile(ctx context.Context, tx *sqldb.Tx, f ReportedFile, before time.Time) error {
	all, err := ReportedFiles(ctx, tx)
	if err != nil {
		return err
	}
	for _, o := range all {
		if o.At.Before(before) {
			if err := RemoveReport(ctx, tx, o.Notifier); err != nil {
				return err
			}
		}
	}
	return SetMark(ctx, tx, fileMark+f.Notifier, f.Hash+" "+strconv.FormatInt(micros(f.At), 10))
}

// RemoveReport removes the report of a notifier that ends.
//
// Errors: those of the database.
func RemoveReport(ctx context.Context, tx *sqldb.Tx, notifier string) error {
	_, err := tx.Exec(ctx, "DELETE FROM notify_marks WHERE name = ?", cut(fileMark+notifier, maxWord))
	return err
}

// ReportedFiles returns the files that notifiers have reported, ordered by notifier.
//
// Errors: those of the database.
func ReportedFiles(ctx context.Context, q sqldb.Querier) (all []ReportedFile, err error) {
	err = q.Query(ctx, "SELECT name, content FROM notify_marks WHERE name LIKE ? ORDER BY name", []any{fileMark + "%"}, func(rows *sql.Rows) error {
		var name, content string
		err := rows.Scan(&name, &content)
		hash, at, _ := strings.Cut(content, " ")
		n, _ := strconv.ParseInt(at, 10, 64) // a damaged time is an old one
		all = append(all, ReportedFile{strings.TrimPrefix(name, fileMark), hash, moment(n)})
		return err
	})
	return all, err
}

// LockPlanners makes the transaction of a planner exclude those of other planners until it
// ends. Digests and limits depend on the rows of other planners. The row changes each time,
// so that servers of a cluster, which do not share locks, find the conflict when they commit.
//
// Errors: those of the database.
func LockPlanners(ctx context.Context, tx *sqldb.Tx, by string) error {
	const name = "planners"
	content := by + " " + strconv.FormatInt(time.Now().UnixNano(), 10)
	if err := SetMark(ctx, tx, name, content); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "UPDATE notify_marks SET content = ? WHERE name = ?", content+".", name) // SetMark may have found the row of another planner
	return err
}
