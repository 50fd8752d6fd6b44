package delivery

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

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

// ReportAge is the age of a report after which its notifier has ended. A notifier reports
// every minute.
const ReportAge = 3 * time.Minute

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

// UnlikeFiles returns an error that names the notifiers that run, if they have different
// files.
func UnlikeFiles(all []ReportedFile, now time.Time) error {
	hashes := map[string]bool{}
	var names []string
	for _, f := range all {
		if now.Sub(f.At) <= ReportAge {
			hashes[f.Hash] = true
			names = append(names, fmt.Sprintf("%s has %s", f.Notifier, f.Hash))
		}
	}
	if len(hashes) < 2 {
		return nil
	}
	return errors.New("notifiers have different files, and only the rules of the one that plans apply: " + strings.Join(names, ", "))
}
