package model

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// LockedJob is the row of a job while a transaction holds the lock on it.
type LockedJob struct {
	ID        int64
	Decisions int64 // number of decisions about the status
	JobStatus       // as it is stored
}

// LockJobs locks the rows of those of some objects that are jobs until the transaction ends, and
// returns them in the order of their row IDs. ids must be sorted, so that all writers lock in the
// same order. Writers lock objects before jobs.
func LockJobs(ctx context.Context, tx *sqldb.Tx, ids []int64) (all []LockedJob, err error) {
	const columns = "object_id, state, reason, message, since, entered_at, decisions"
	err = queryIn(ctx, tx, "SELECT "+columns+" FROM jobs WHERE object_id IN ", ids, " ORDER BY object_id"+tx.ForUpdate(), func(rows *sql.Rows) error {
		var j LockedJob
		err := rows.Scan(&j.ID, &j.State, &j.Reason, &j.Message, &j.Since, &j.EnteredAt, &j.Decisions)
		all = append(all, j)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("table jobs: %w", err)
	}
	return all, nil
}

// UpdateJobs stores the statuses of jobs, which must be locked.
func UpdateJobs(ctx context.Context, tx *sqldb.Tx, all []LockedJob) error {
	rows := make([][]any, len(all))
	for i := range all {
		rows[i] = append([]any{all[i].ID}, all[i].columns(all[i].Decisions)...)
	}
	if err := tx.Update(ctx, "jobs", append([]string{"object_id"}, statusColumns...), rows); err != nil {
		return fmt.Errorf("table jobs: %w", err)
	}
	return nil
}

// OwnStatus is the status of the object of a job.
type OwnStatus struct {
	ID int64
	Presence
	Version   wire.Version
	CreatedAt int64
	JobStatus
}

// OwnStatuses calls each for some objects with their own statuses.
func OwnStatuses(ctx context.Context, q sqldb.Querier, ids []int64, each func(OwnStatus)) error {
	return queryIn(ctx, q, "SELECT id, presence, version, created_at, state, reason, message, since FROM objects WHERE id IN ", ids, "", func(rows *sql.Rows) error {
		var o OwnStatus
		var version int64
		err := rows.Scan(&o.ID, &o.Presence, &version, &o.CreatedAt, &o.State, &o.Reason, &o.Message, &o.Since)
		o.Version, o.EnteredAt = wire.Version(version), o.Since
		each(o)
		return err
	})
}

// JobStatuses calls each for those of some objects that are jobs, with their decided statuses.
func JobStatuses(ctx context.Context, q sqldb.Querier, ids []int64, each func(id int64, s JobStatus)) error {
	return queryIn(ctx, q, "SELECT object_id, state, reason, message, since, entered_at FROM jobs WHERE object_id IN ", ids, "", func(rows *sql.Rows) error {
		var id int64
		var s JobStatus
		err := rows.Scan(&id, &s.State, &s.Reason, &s.Message, &s.Since, &s.EnteredAt)
		each(id, s)
		return err
	})
}

// ofPods is the condition that an object o is a pod.
const ofPods = "o.resource_id IN (SELECT id FROM resources WHERE api_group = '' AND name = 'pods')"

// notFinal returns the condition that a column has the word of a known state that is not final.
func notFinal(column string) string {
	words := []string{"''"}
	for _, s := range job.States() {
		if s.Final() {
			words = append(words, "'"+string(s)+"'")
		}
	}
	return column + " NOT IN (" + strings.Join(words, ", ") + ")"
}

// LivingPods calls each for the pods of some jobs that are present and have not ended.
func LivingPods(ctx context.Context, q sqldb.Querier, jobs []int64, each func(of int64, s job.Status)) error {
	query := "SELECT p.job_id, o.state, o.reason, o.message, o.since FROM job_parts p JOIN objects o ON o.id = p.object_id AND o.presence = 0 AND " + notFinal("o.state") +
		" AND " + ofPods + " WHERE p.job_id IN "
	return queryIn(ctx, q, query, jobs, "", func(rows *sql.Rows) error {
		var of, since int64
		var s job.Status
		err := rows.Scan(&of, &s.State, &s.Reason, &s.Message, &since)
		s.At = Time(since)
		each(of, s)
		return err
	})
}

// JobsOfPods returns the jobs of those of some objects that are pods, sorted.
func JobsOfPods(ctx context.Context, q sqldb.Querier, objects []int64) (jobs []int64, err error) {
	query := "SELECT DISTINCT p.job_id FROM job_parts p JOIN objects o ON o.id = p.object_id AND " + ofPods + " WHERE p.object_id IN "
	err = queryIn(ctx, q, query, objects, "", scanIDs(&jobs))
	slices.Sort(jobs)
	return slices.Compact(jobs), err
}

// JobsInScope returns the jobs that an equal presence of the objects of a scope may concern, sorted:
// the objects themselves, and the jobs of those that are pods. Ended objects do not count.
func JobsInScope(ctx context.Context, q sqldb.Querier, s Scope, presence Presence) (jobs []int64, err error) {
	condition, args := s.within("o.selector_hash", s.Selectors)
	query := "SELECT o.uid, j.object_id, p.job_id FROM objects o LEFT JOIN jobs j ON j.object_id = o.id LEFT JOIN job_parts p ON p.object_id = o.id AND " + ofPods +
		" WHERE " + condition + " AND o.presence = ? AND " + notFinal("o.state")
	err = q.Query(ctx, query, append(args, int16(presence)), func(rows *sql.Rows) error {
		var uid string
		var own, of sql.NullInt64
		if err := rows.Scan(&uid, &own, &of); err != nil || !s.UIDs.Contains(uid) {
			return err
		}
		for _, id := range []sql.NullInt64{own, of} {
			if id.Valid {
				jobs = append(jobs, id.Int64)
			}
		}
		return nil
	})
	slices.Sort(jobs)
	return slices.Compact(jobs), err
}

// scanIDs returns a scan function that appends row IDs.
func scanIDs(to *[]int64) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		*to = append(*to, id)
		return err
	}
}

// JobTable describes lists of jobs, ordered by the time when their objects entered their own
// states. The states are those of the jobs.
var JobTable = &Table{
	name: "jobs j", objectJoin: " JOIN objects o ON o.id = j.object_id", nameJoins: objectNameJoins, columns: listedJobColumns,
	at: "j.entered_at", id: "j.object_id", object: "j.object_id", state: "j.state", stateIndex: "jobs_state",
}

// ListedJob is a job as lists show it: its object, with the status of the job.
type ListedJob struct {
	ListedObject
	OwnState  string // state of the object
	EnteredAt int64  // time when the object entered its own state
}

const listedJobColumns = listedObjectBegin + "j.state, o.raw_state, j.reason, j.message, j.since" + listedObjectEnd + ", o.state, j.entered_at"

// ScanJob reads a row of JobTable.
func ScanJob(rows *sql.Rows) (j ListedJob, err error) {
	var version int64
	err = rows.Scan(append(j.targets(&version), &j.OwnState, &j.EnteredAt)...)
	j.Version = wire.Version(version)
	return j, err
}

// JobsWith calls each for those of some objects that are jobs.
func JobsWith(ctx context.Context, q sqldb.Querier, ids []int64, each func(ListedJob)) error {
	return queryIn(ctx, q, "SELECT "+listedJobColumns+" FROM jobs j JOIN objects o ON o.id = j.object_id"+objectNameJoins+" WHERE j.object_id IN ", ids, "", func(rows *sql.Rows) error {
		j, err := ScanJob(rows)
		each(j)
		return err
	})
}
