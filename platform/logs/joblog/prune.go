package joblog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Removed counts the removals of Prune and RemoveOf.
type Removed struct {
	// Logs is the number of rows, including logs without text.
	Logs int64
	// Bytes is the size of the removed text in the database.
	Bytes int64
}

// pruneStep is the number of logs that one transaction removes.
const pruneStep = 100

// Prune removes the logs to which no text was added since a time. It works in small steps,
// so that others can write in between. It calls between, which may be nil, after each step
// with the duration of the step.
//
// Errors: those of the database and of between. Logs that were removed before an error
// stay removed.
func Prune(ctx context.Context, db *sqldb.DB, before time.Time, between func(ctx context.Context, took time.Duration) error) (r Removed, err error) {
	for _, of := range []phase{phaseEnded, phaseOpen, phaseEmpty} {
		for {
			var step Removed
			began := time.Now()
			err := transact(ctx, db, func(ctx context.Context, tx *sqldb.Tx) (err error) {
				step, err = pruneOnce(ctx, tx, of, before)
				return err
			})
			r.Logs, r.Bytes = r.Logs+step.Logs, r.Bytes+step.Bytes
			if err == nil && step.Logs > 0 && between != nil {
				err = between(ctx, time.Since(began))
			}
			if err != nil {
				return r, fmt.Errorf("%s: retention of kept logs: %w", db, err)
			}
			if step.Logs == 0 {
				break
			}
		}
	}
	return r, nil
}

// pruneOnce removes some logs of a phase.
func pruneOnce(ctx context.Context, tx *sqldb.Tx, of phase, before time.Time) (Removed, error) {
	const condition = "l.phase = ? AND l.fetched_at < ?"
	some, err := expired(ctx, tx, "FROM kept_logs l"+tx.UseIndex("kept_logs_age")+" WHERE "+condition+" ORDER BY l.fetched_at LIMIT ?", int16(of), micros(before), pruneStep)
	if err != nil {
		return Removed{}, err
	}
	return remove(ctx, tx, some)
}

// Expired counts the logs that Prune would remove.
//
// Errors: those of the database.
func Expired(ctx context.Context, q sqldb.Querier, before time.Time) (r Removed, err error) {
	for _, of := range []phase{phaseEnded, phaseOpen, phaseEmpty} {
		var n, bytes int64
		row := q.QueryRow(ctx, "SELECT COUNT(*), COALESCE(SUM(l.stored_bytes), 0) FROM kept_logs l WHERE l.phase = ? AND l.fetched_at < ?", int16(of), micros(before))
		if err = row.Scan(&n, &bytes); err != nil {
			break
		}
		r.Logs, r.Bytes = r.Logs+n, r.Bytes+bytes
	}
	return r, err
}

// RemoveOf removes the logs of the selected pods, owners or jobs, in the transaction of
// the caller. It locks rows in the order of their IDs.
//
// Errors: those of the database.
func RemoveOf(ctx context.Context, tx *sqldb.Tx, of Selection) (r Removed, err error) {
	seen := map[int64]version{}
	err = of.each(ctx, tx, func(condition string) string {
		return "SELECT l.id, l.version, l.stored_bytes FROM kept_logs l WHERE " + condition
	}, func(rows *sql.Rows) error {
		var v version
		err := rows.Scan(&v.id, &v.version, &v.bytes)
		seen[v.id] = v
		return err
	})
	if err != nil {
		return r, err
	}
	var all []version
	for _, v := range seen {
		all = append(all, v)
	}
	return remove(ctx, tx, all)
}

// CountOf returns the number of selected logs.
//
// Errors: those of the database.
func CountOf(ctx context.Context, q sqldb.Querier, of Selection) (int64, error) {
	seen := map[int64]bool{}
	err := of.each(ctx, q, func(condition string) string { return "SELECT l.id FROM kept_logs l WHERE " + condition }, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		seen[id] = true
		return err
	})
	return int64(len(seen)), err
}

// version is a row to remove.
type version struct{ id, version, bytes int64 }

// expired returns rows to remove.
func expired(ctx context.Context, tx *sqldb.Tx, tail string, args ...any) (all []version, err error) {
	err = tx.Query(ctx, "SELECT l.id, l.version, l.stored_bytes "+tail, args, func(rows *sql.Rows) error {
		var v version
		err := rows.Scan(&v.id, &v.version, &v.bytes)
		all = append(all, v)
		return err
	})
	return all, err
}

// remove removes rows that have not changed since they were read, and their chunks.
func remove(ctx context.Context, tx *sqldb.Tx, all []version) (r Removed, err error) {
	slices.SortFunc(all, func(a, b version) int { return cmp.Compare(a.id, b.id) })
	var ids []string
	for _, v := range all {
		n, err := tx.Exec(ctx, "DELETE FROM kept_logs WHERE id = ? AND version = ?", v.id, v.version)
		if err != nil {
			return Removed{}, err
		}
		if n == 1 {
			r.Logs, r.Bytes = r.Logs+1, r.Bytes+v.bytes
			ids = append(ids, strconv.FormatInt(v.id, 10))
		}
	}
	for part := range slices.Chunk(ids, pruneStep) {
		if _, err := tx.Exec(ctx, "DELETE FROM kept_log_chunks WHERE log_id IN ("+strings.Join(part, ", ")+")"); err != nil {
			return Removed{}, err
		}
	}
	return r, nil
}
