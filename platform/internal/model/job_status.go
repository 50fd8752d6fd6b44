package model

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// LockJobs locks the rows of those of some objects that are jobs until the transaction ends. ids must
// be sorted, so that all writers lock in the same order. Writers lock objects before jobs.
func LockJobs(ctx context.Context, tx *sqldb.Tx, ids []int64) (err error) {
	switch {
	case tx.ForUpdate() == "":
		return nil
	case tx.WritesConflict():
		_, err = execIn(ctx, tx, "UPDATE jobs SET decisions = decisions + 1 WHERE object_id IN ", ids)
	default:
		err = queryIn(ctx, tx, "SELECT object_id FROM jobs WHERE object_id IN ", ids, " ORDER BY object_id"+tx.ForUpdate(), func(*sql.Rows) error { return nil })
	}
	if err != nil {
		return fmt.Errorf("table jobs: %w", err)
	}
	return nil
}

// UndecidedJob is a job with everything that its status follows from.
type UndecidedJob struct {
	ID     int64
	Stored JobStatus // the last decision
	Presence
	Version   wire.Version
	CreatedAt int64
	Own       job.Status // of the object
	Pods      job.PodsStatus
}

// UndecidedJobs returns those of some objects that are jobs, in the order of their row IDs. They
// must be locked.
func UndecidedJobs(ctx context.Context, tx *sqldb.Tx, ids []int64) (all []UndecidedJob, err error) {
	query := "SELECT j.object_id, j.state, j.reason, j.message, j.since, j.entered_at, o.presence, o.version, o.created_at, o.state, o.reason, o.message, o.since, " + podsStatus +
		" FROM jobs j JOIN objects o ON o.id = j.object_id" + firstProblem + " WHERE j.object_id IN "
	err = queryIn(ctx, tx, query, ids, " ORDER BY j.object_id", func(rows *sql.Rows) error {
		var j UndecidedJob
		var version, since int64
		var pods podsStatusTargets
		targets := []any{&j.ID, &j.Stored.State, &j.Stored.Reason, &j.Stored.Message, &j.Stored.Since, &j.Stored.EnteredAt, &j.Presence, &version, &j.CreatedAt, &j.Own.State, &j.Own.Reason, &j.Own.Message, &since}
		err := rows.Scan(append(targets, pods.targets()...)...)
		j.Version, j.Own.At, j.Pods = wire.Version(version), Time(since), pods.status()
		all = append(all, j)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("table jobs: %w", err)
	}
	return all, nil
}

// UpdateJobs stores the statuses of jobs, which must be locked.
func UpdateJobs(ctx context.Context, tx *sqldb.Tx, all map[int64]JobStatus) error {
	var rows [][]any
	for _, id := range SortedIDs(all) {
		s := all[id]
		rows = append(rows, append([]any{id}, s.columns()...))
	}
	if err := tx.Update(ctx, "jobs", append([]string{"object_id"}, statusColumns...), rows); err != nil {
		return fmt.Errorf("table jobs: %w", err)
	}
	return nil
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

// InScope returns the objects of a scope that have a presence and may concern a job: the rows of
// jobs, and pods of jobs. Ended objects do not count.
func InScope(ctx context.Context, q sqldb.Querier, s Scope, presence Presence) (jobs, pods []int64, err error) {
	condition, args := s.within("o.selector_hash", s.Selectors)
	query := "SELECT o.id, o.uid, j.object_id, p.job_id FROM objects o LEFT JOIN jobs j ON j.object_id = o.id LEFT JOIN job_parts p ON p.object_id = o.id AND " + isPod +
		" WHERE " + condition + " AND o.presence = ? AND " + notFinal("o.state")
	err = q.Query(ctx, query, append(args, int16(presence)), func(rows *sql.Rows) error {
		var id int64
		var uid string
		var own, of sql.NullInt64
		if err := rows.Scan(&id, &uid, &own, &of); err != nil || !s.UIDs.Contains(uid) {
			return err
		}
		if own.Valid {
			jobs = append(jobs, id)
		}
		if of.Valid {
			pods = append(pods, id)
		}
		return nil
	})
	return jobs, pods, err
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
