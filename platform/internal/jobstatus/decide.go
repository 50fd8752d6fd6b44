package jobstatus

import (
	"context"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Decide stores the statuses of jobs, and returns feed entries for those that changed, in the order
// of their IDs. It skips other objects than jobs. A new reason or state is a change; another
// message alone is stored, and has no entry.
func Decide(ctx context.Context, tx *sqldb.Tx, jobs []int64) (changed []model.FeedEntry, err error) {
	if len(jobs) == 0 {
		return nil, nil
	}
	jobs = slices.Compact(slices.Sorted(slices.Values(jobs)))
	if err := model.LockJobs(ctx, tx, jobs); err != nil {
		return nil, err
	}
	all, err := model.UndecidedJobs(ctx, tx, jobs)
	if err != nil {
		return nil, err
	}
	decided := map[int64]model.JobStatus{}
	for i := range all {
		j := &all[i]
		s := statusOf(j)
		if s == j.Stored {
			continue
		}
		decided[j.ID] = s
		if s.State != j.Stored.State || s.Reason != j.Stored.Reason || s.Since != j.Stored.Since {
			changed = append(changed, model.FeedEntry{RevisionID: model.RevisionID{Object: j.ID, Version: j.Version}, Kind: model.FeedDecided})
		}
	}
	return changed, model.UpdateJobs(ctx, tx, decided)
}

// statusOf returns the status of a job. Pods of a job that is not present do not count.
func statusOf(j *model.UndecidedJob) model.JobStatus {
	s := j.Own
	if j.Presence == model.Present {
		s = s.WithPodsStatus(j.Pods)
	}
	entered := model.Micros(j.Own.At)
	decided := model.JobStatus{State: string(s.State), Reason: s.Reason, Message: s.Message, Since: entered, EnteredAt: entered}
	if s.State != j.Own.State && s.At.After(model.Time(j.CreatedAt)) {
		decided.Since = model.Micros(s.At)
	}
	return decided
}

// Update decides the statuses of jobs, and writes the feed entries of the changed ones.
func Update(ctx context.Context, tx *sqldb.Tx, jobs []int64) error {
	changed, err := Decide(ctx, tx, jobs)
	if err != nil {
		return err
	}
	return model.InsertOutbox(ctx, tx, changed)
}
