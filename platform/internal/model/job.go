package model

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// JobRow is the row of a job.
type JobRow struct {
	ObjectID int64
	Facts    *job.Facts // nil: no body was seen
}

var jobColumns = []string{"object_id", "gpus", "pods", "priority", "attempt", "attempts", "time_limit", "pod_label", "pod_label_value"}

// InsertJobs inserts the rows of jobs that have none. The columns of unknown facts are NULL.
func InsertJobs(ctx context.Context, tx *sqldb.Tx, all []JobRow) error {
	var known, unknown [][]any
	for _, row := range all {
		f := row.Facts
		if f == nil {
			unknown = append(unknown, []any{row.ObjectID})
			continue
		}
		known = append(known, []any{
			row.ObjectID, int64(f.GPUs), int64(f.Pods), Truncate(f.Priority, MaxWord), int64(f.Attempt), int64(f.Attempts), f.Limit.Microseconds(),
			Truncate(f.PodLabel, MaxWord), Truncate(f.PodLabelValue, MaxWord),
		})
	}
	err := tx.Insert(ctx, "jobs", jobColumns, known)
	if err == nil {
		err = tx.Insert(ctx, "jobs", jobColumns[:1], unknown)
	}
	if err != nil {
		return fmt.Errorf("table jobs: %w", err)
	}
	return nil
}

// DeleteJobs deletes the rows of jobs.
func DeleteJobs(ctx context.Context, tx *sqldb.Tx, objects []int64) error {
	if _, err := execIn(ctx, tx, "DELETE FROM jobs WHERE object_id IN ", objects); err != nil {
		return fmt.Errorf("table jobs: %w", err)
	}
	return nil
}

// FactsOf returns the facts of those of some objects that are jobs, by their row IDs. The facts
// of a job are nil if no body was seen.
func FactsOf(ctx context.Context, q sqldb.Querier, objects []int64) (map[int64]*job.Facts, error) {
	all := map[int64]*job.Facts{}
	err := queryIn(ctx, q, "SELECT "+strings.Join(jobColumns, ", ")+" FROM jobs WHERE object_id IN ", objects, "", func(rows *sql.Rows) error {
		var id int64
		var gpus, pods, attempt, attempts, limit sql.NullInt64
		var priority, label, value sql.NullString
		if err := rows.Scan(&id, &gpus, &pods, &priority, &attempt, &attempts, &limit, &label, &value); err != nil {
			return err
		}
		if all[id] = nil; gpus.Valid {
			all[id] = &job.Facts{
				GPUs: int(gpus.Int64), Pods: int(pods.Int64), Priority: priority.String, Attempt: int(attempt.Int64), Attempts: int(attempts.Int64),
				Limit: time.Duration(limit.Int64) * time.Microsecond, PodLabel: label.String, PodLabelValue: value.String,
			}
		}
		return nil
	})
	return all, err
}

// JobIDs returns the row IDs of at most limit jobs that are greater than after, sorted.
func JobIDs(ctx context.Context, q sqldb.Querier, after int64, limit int) (ids []int64, err error) {
	err = q.Query(ctx, "SELECT object_id FROM jobs WHERE object_id > ? ORDER BY object_id LIMIT ?", []any{after, limit}, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// HashFacts continues a hash of terms with the facts of a job.
func HashFacts(hash int64, f job.Facts) int64 {
	return int64(addText(uint64(hash), fmt.Sprintf("%+v", f)))
}
