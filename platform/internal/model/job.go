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
	JobStatus
	Facts *job.Facts // nil: no body was seen
}

// JobStatus is the status of a job: that of its object, with what its pods show.
type JobStatus struct {
	State, Reason, Message string
	Since                  int64
	EnteredAt              int64 // since when its object is in its own state
}

var (
	factColumns   = []string{"gpus", "pods", "priority", "attempt", "attempts", "time_limit", "pod_label", "pod_label_value"}
	statusColumns = []string{"state", "reason", "message", "since", "entered_at"}
)

func (s *JobStatus) columns() []any {
	return []any{s.State, s.Reason, s.Message, s.Since, s.EnteredAt}
}

func factsOf(f *job.Facts) []any {
	return []any{
		int64(f.GPUs), int64(f.Pods), Truncate(f.Priority, MaxWord), int64(f.Attempt), int64(f.Attempts), f.Limit.Microseconds(),
		Truncate(f.PodLabel, MaxWord), Truncate(f.PodLabelValue, MaxWord),
	}
}

// InsertJobs inserts the rows of jobs that have none. The columns of unknown facts are NULL.
func InsertJobs(ctx context.Context, tx *sqldb.Tx, all []JobRow) error {
	var known, unknown [][]any
	for i := range all {
		row := append([]any{all[i].ObjectID, int64(0)}, all[i].columns()...)
		if f := all[i].Facts; f != nil {
			known = append(known, append(row, factsOf(f)...))
		} else {
			unknown = append(unknown, row)
		}
	}
	columns := append([]string{"object_id", "decisions"}, statusColumns...)
	err := tx.Insert(ctx, "jobs", columns, unknown)
	if err == nil {
		err = tx.Insert(ctx, "jobs", append(columns, factColumns...), known)
	}
	if err != nil {
		return fmt.Errorf("table jobs: %w", err)
	}
	return nil
}

// UpdateFacts stores the facts of jobs that have rows. No facts may be nil.
func UpdateFacts(ctx context.Context, tx *sqldb.Tx, all []JobRow) error {
	rows := make([][]any, len(all))
	for i := range all {
		rows[i] = append([]any{all[i].ObjectID}, factsOf(all[i].Facts)...)
	}
	if err := tx.Update(ctx, "jobs", append([]string{"object_id"}, factColumns...), rows); err != nil {
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
	err := queryIn(ctx, q, "SELECT object_id, "+strings.Join(factColumns, ", ")+" FROM jobs WHERE object_id IN ", objects, "", func(rows *sql.Rows) error {
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
