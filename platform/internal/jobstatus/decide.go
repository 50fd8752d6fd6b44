package jobstatus

import (
	"cmp"
	"context"
	"slices"

	"github.com/vedette-io/vedette/job"
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
	locked, err := model.LockJobs(ctx, tx, jobs)
	if err != nil || len(locked) == 0 {
		return nil, err
	}
	own, pods, err := read(ctx, tx, locked)
	if err != nil {
		return nil, err
	}
	for i := range locked {
		j := &locked[i]
		o, found := own[j.ID]
		if !found {
			continue
		}
		before := j.JobStatus
		j.JobStatus = statusOf(&o, pods[j.ID])
		j.Decisions++
		if j.State != before.State || j.Reason != before.Reason || j.Since != before.Since {
			changed = append(changed, model.FeedEntry{RevisionID: model.RevisionID{Object: j.ID, Version: o.Version}, Kind: model.FeedDecided})
		}
	}
	return changed, model.UpdateJobs(ctx, tx, locked)
}

// read returns the statuses of the objects of locked jobs, and the distinct statuses of the pods of those
// that depend on them.
func read(ctx context.Context, tx *sqldb.Tx, locked []model.LockedJob) (own map[int64]model.OwnStatus, pods map[int64][]job.Status, err error) {
	ids := make([]int64, len(locked))
	for i := range locked {
		ids[i] = locked[i].ID
	}
	own, pods = map[int64]model.OwnStatus{}, map[int64][]job.Status{}
	var open []int64
	err = model.OwnStatuses(ctx, tx, ids, func(o model.OwnStatus) {
		if own[o.ID] = o; dependsOnPods(&o) {
			open = append(open, o.ID)
		}
	})
	if err != nil || len(open) == 0 {
		return own, nil, err
	}
	distinct := map[podStatus]job.Status{}
	err = model.LivingPods(ctx, tx, open, func(of int64, s job.Status) {
		key := podStatus{of, s.State, s.Reason, s.Message}
		if first, found := distinct[key]; !found || s.At.Before(first.At) {
			distinct[key] = s
		}
	})
	for key, s := range distinct {
		pods[key.job] = append(pods[key.job], s)
	}
	return own, pods, err
}

// podStatus is a status that pods of a job have. Of several such pods, job.Status.WithPods needs
// the pod that entered the status first.
type podStatus struct {
	job             int64
	state           job.State
	reason, message string
}

// dependsOnPods reports whether pods may change the status of a job.
func dependsOnPods(o *model.OwnStatus) bool {
	s := job.State(o.State)
	return o.Presence == model.Present && s != "" && s != job.Suspended && !s.Final()
}

// statusOf returns the status of a job by its own one and those of its pods, in any order.
func statusOf(o *model.OwnStatus, pods []job.Status) model.JobStatus {
	slices.SortFunc(pods, func(x, y job.Status) int {
		return cmp.Or(x.At.Compare(y.At), cmp.Compare(x.State, y.State), cmp.Compare(x.Reason, y.Reason), cmp.Compare(x.Message, y.Message))
	})
	own := job.Status{State: job.State(o.State), Reason: o.Reason, Message: o.Message, At: model.Time(o.Since)}
	s := own.WithPods(pods)
	decided := o.JobStatus
	if s.State != own.State && s.At.After(model.Time(o.CreatedAt)) {
		decided.Since = model.Micros(s.At)
	}
	decided.State, decided.Reason, decided.Message = string(s.State), s.Reason, s.Message
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
