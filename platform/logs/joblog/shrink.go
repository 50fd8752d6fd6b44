package joblog

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// shrinking removes the oldest text of some logs until their size is within a limit.
type shrinking struct {
	db *sqldb.DB
	// where and args select the logs, as in " AND l.job_uid = ?". index is an index of
	// these columns, the phase and the age.
	where string
	args  []any
	index string
	most  int64
	why   string // "the logs of the job exceed 64 MiB"
	now   time.Time
}

// sum returns the total size of the logs in bytes.
func (s *shrinking) sum(ctx context.Context) (stored int64, err error) {
	var sum sql.NullInt64
	err = s.db.QueryRow(ctx, "SELECT SUM(l.stored_bytes) FROM kept_logs l"+s.db.UseIndex(s.index)+" WHERE l.phase IN (1, 2)"+s.where, s.args...).Scan(&sum)
	return sum.Int64, err
}

// run removes text: first from logs that have ended, then from the others, each oldest
// first.
func (s *shrinking) run(ctx context.Context) error {
	for ctx.Err() == nil {
		sum, err := s.sum(ctx)
		if err != nil || sum <= s.most {
			return err
		}
		victims, err := s.victims(ctx)
		if err != nil || len(victims) == 0 {
			return err
		}
		for goal := s.most - s.most/50; sum > goal && len(victims) > 0; victims = victims[1:] {
			freed, err := s.shorten(ctx, victims[0], sum-goal)
			if err != nil {
				return err
			}
			sum -= freed
		}
	}
	return context.Cause(ctx)
}

// batch is the number of logs that run shortens between two sums.
const batch = 16

// victims returns the IDs of the next logs to shorten.
func (s *shrinking) victims(ctx context.Context) (ids []int64, err error) {
	for _, of := range []phase{phaseEnded, phaseOpen} {
		if len(ids) > 0 || err != nil {
			break
		}
		args := append([]any{int16(of)}, s.args...)
		err = s.db.Query(ctx, "SELECT l.id FROM kept_logs l"+s.db.UseIndex(s.index)+" WHERE l.phase = ?"+s.where+" ORDER BY l.fetched_at LIMIT ?", append(args, batch), func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		})
	}
	return ids, err
}

// shorten removes text of a log, and returns the freed bytes.
func (s *shrinking) shorten(ctx context.Context, id, bytes int64) (freed int64, err error) {
	err = transact(ctx, s.db, func(ctx context.Context, tx *sqldb.Tx) error {
		freed = 0
		all, err := selectRows(ctx, tx, "FROM kept_logs l WHERE l.id = ?", id)
		if err != nil || len(all) == 0 {
			return err
		}
		r := all[0]
		if ours, err := r.claim(ctx, tx); err != nil || !ours {
			return err
		}
		t, err := readText(ctx, tx, id)
		if err != nil {
			return err
		}
		before := r.Stored
		f, removed, err := t.free(ctx, bytes, r.floor)
		if err != nil {
			return err
		}
		r.floor, r.LostLines = f, r.LostLines+int(removed)
		verb := shortenedOn
		if len(t.chunks) == 0 {
			verb, r.Removed = removedOn, s.now
		}
		r.limited = fmt.Sprintf("%s%s because %s", verb, s.now.UTC().Format("2006-01-02 15:04 UTC"), s.why)
		if err := r.write(ctx, t); err != nil {
			return err
		}
		freed = before - r.Stored
		return r.store(ctx, tx)
	})
	return freed, err
}

// Shrink removes the oldest text until the size of all kept logs is at most most bytes. If
// another process is already shrinking, it does nothing.
//
// Errors: those of the database.
func Shrink(ctx context.Context, db *sqldb.DB, most int64, now time.Time) error {
	_, err := shrinkAll(ctx, db, most, now)
	if err != nil {
		return fmt.Errorf("%s: the limit of all kept logs: %w", db, err)
	}
	return nil
}

// shrinkAll is Shrink, and also returns the remaining size.
func shrinkAll(ctx context.Context, db *sqldb.DB, most int64, now time.Time) (total int64, err error) {
	all := shrinking{db: db, index: "kept_logs_age", most: most, why: "all kept logs exceed " + sizeText(most), now: now}
	if total, err = all.sum(ctx); err != nil || total <= most {
		return total, err
	}
	unlock, ours, err := db.TryLock(ctx, sqldb.KeptLogsLock)
	if err != nil || !ours {
		return total, err
	}
	err = all.run(ctx)
	if unlocked := unlock(); err == nil {
		err = unlocked
	}
	if err != nil {
		return total, err
	}
	return all.sum(ctx)
}
