package model

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// podPlace is the place of a part among the pods of its job, as a row of job_parts has it. It
// follows from the row of the object, so it changes under the lock of that row.
type podPlace struct {
	class job.PodClass
	since int64 // begin of the problem; 0 without one
}

const (
	// isPod is the condition that an object o is a pod.
	isPod = "o.resource_id IN (SELECT id FROM resources WHERE api_group = '' AND name = 'pods')"
	// placeColumns are the columns of an object o that its place follows from.
	placeColumns = "CASE WHEN " + isPod + " AND o.presence = 0 THEN 1 ELSE 0 END, o.state, o.reason, o.since"
)

// placed holds the values of placeColumns.
type placed struct {
	present bool // a pod that is present
	status  job.Status
	since   int64
}

// targets returns the scan targets for placeColumns.
func (p *placed) targets() []any {
	return []any{&p.present, &p.status.State, &p.status.Reason, &p.since}
}

// place returns the place that follows.
func (p *placed) place() (at podPlace) {
	if p.present {
		at.class = p.status.PodClass()
	}
	if at.class.Problem() {
		at.since = p.since
	}
	return at
}

// PlacePods stores the places of those of some objects that are pods of jobs, after their rows have
// changed. It returns the jobs whose statuses may change, sorted. The rows of the objects must be
// locked.
func PlacePods(ctx context.Context, tx *sqldb.Tx, objects []int64) (jobs []int64, err error) {
	var rows [][]any
	query := "SELECT p.object_id, p.job_id, p.pod_class, p.problem_since, " + placeColumns + " FROM job_parts p JOIN objects o ON o.id = p.object_id WHERE p.object_id IN "
	err = queryIn(ctx, tx, query, objects, " ORDER BY p.object_id", func(r *sql.Rows) error {
		var id, of int64
		var stored podPlace
		var pod placed
		if err := r.Scan(append([]any{&id, &of, &stored.class, &stored.since}, pod.targets()...)...); err != nil {
			return err
		}
		now := pod.place()
		if now != stored {
			rows = append(rows, []any{id, int16(now.class), now.since})
		}
		if now != stored || now.class.Problem() {
			jobs = append(jobs, of)
		}
		return nil
	})
	if err == nil {
		err = tx.Update(ctx, "job_parts", []string{"object_id", "pod_class", "problem_since"}, rows)
	}
	if err != nil {
		return nil, fmt.Errorf("table job_parts: %w", err)
	}
	slices.Sort(jobs)
	return slices.Compact(jobs), nil
}

// podsStatus are the columns of the status of all pods of a job j: the first problem, which
// firstProblem joins, and two columns that are not NULL if a class of pods has pods. They read one
// entry of the index for each class, however many pods the job has.
var (
	podsStatus   = "f.state, f.reason, f.message, f.since, " + podIn(job.PodClass.Bound) + ", " + podIn(job.PodClass.Steady)
	firstProblem = " LEFT JOIN objects f ON f.id = (SELECT p.object_id FROM job_parts p WHERE p.job_id = j.object_id AND p.pod_class BETWEEN " +
		fmt.Sprintf("%d AND %d", job.WaitsWithProblem, job.OtherProblem) + " ORDER BY p.pod_class, p.problem_since, p.object_id LIMIT 1)"
)

// podIn selects a row if a job j has a pod in some classes.
func podIn(some func(job.PodClass) bool) string {
	var classes []string
	for _, c := range job.PodClasses() {
		if some(c) {
			classes = append(classes, strconv.Itoa(int(c)))
		}
	}
	return "(SELECT p.pod_class FROM job_parts p WHERE p.job_id = j.object_id AND p.pod_class IN (" + strings.Join(classes, ", ") + ") LIMIT 1)"
}

// podsStatusTargets holds the values of podsStatus.
type podsStatusTargets struct {
	state, reason, message sql.NullString
	since                  sql.NullInt64
	bound, steady          sql.NullInt16
}

func (p *podsStatusTargets) targets() []any {
	return []any{&p.state, &p.reason, &p.message, &p.since, &p.bound, &p.steady}
}

func (p *podsStatusTargets) status() job.PodsStatus {
	s := job.PodsStatus{Bound: p.bound.Valid, Steady: p.steady.Valid}
	if p.state.Valid {
		s.Problem = job.Status{State: job.State(p.state.String), Reason: p.reason.String, Message: p.message.String, At: Time(p.since.Int64)}
	}
	return s
}
