package readapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
)

// Limits of the pods of one job.
const (
	podEntries = 20_000 // transitions read from the index
	maxPods    = 2_000  // pods whose bodies are read
)

// podsOf returns the recorded pods of a job, at most the newest maxPods; with an instant, as
// they were then.
func podsOf(r *reader, ctx context.Context, job history.Object, at time.Time) (*jobview.PodSet, error) {
	found, err := r.history.PodsOf(ctx, []history.Object{job}, podEntries)
	if err != nil {
		return nil, err
	}
	pods := found[job.ID]
	if len(pods) > maxPods {
		pods = pods[:maxPods]
	}
	all, err := recordOf(r, ctx, pods, at)
	if err != nil {
		return nil, err
	}
	return jobview.NewPodSet(all.objects, all.bodies, all.lives), nil
}

// pods answers with the pods of a job, those of the last attempt first.
func pods(r *reader, ctx context.Context, in *PageInput) (*api.PodList, error) {
	q, row, err := r.job(ctx, in.JobPath, in.At)
	if err != nil {
		return nil, err
	}
	if err := mayRead(r, ctx, access.Pods, row); err != nil {
		return nil, err
	}
	object, err := r.object(ctx, row)
	if err != nil {
		return nil, err
	}
	set, err := podsOf(r, ctx, object, q.At)
	if err != nil {
		return nil, err
	}
	all := set.Pods()
	list := &api.PodList{Recorded: len(all) > 0}
	if !list.Recorded && job.KindOfType(object.Type.String()).FindsPods() {
		if list.Recorded, err = recorded(r, ctx, "pods", ""); err != nil {
			return nil, err
		}
	}
	from, err := offsetOf(in.After)
	if err != nil {
		return nil, err
	}
	limit := in.Limit
	if limit == 0 {
		limit = 100
	}
	list.Pods, list.Next = part(all, from, limit)
	return list, nil
}

// recorded reports whether objects of a type are recorded.
func recorded(r *reader, ctx context.Context, resource, group string) (bool, error) {
	types, err := r.history.Types(ctx)
	for _, t := range types {
		if t.Resource == resource && t.Group == group {
			return true, err
		}
	}
	return false, err
}

// attempts answers with the runs of a job and of its retries, side by side.
func attempts(r *reader, ctx context.Context, in *jobInput) (*api.AttemptList, error) {
	q, row, err := r.job(ctx, in.JobPath, in.At)
	if err != nil {
		return nil, err
	}
	object, err := r.object(ctx, row)
	if err != nil {
		return nil, err
	}
	chain, err := chainOf(r, ctx, q, &object)
	if err != nil {
		return nil, err
	}
	list := jobview.Attempts(chain)
	return &list, nil
}

// maxMembers is the maximum number of jobs of a chain that are compared, the newest ones.
const maxMembers = 20

// chainOf returns the chain of retries of a job, without jobs that the person may not see;
// with an instant, as it was then.
func chainOf(r *reader, ctx context.Context, q *question, object *history.Object) ([]jobview.Member, error) {
	all, err := retries(r, ctx, q, object)
	if err != nil {
		return nil, err
	}
	if len(all) > maxMembers {
		all = all[len(all)-maxMembers:]
	}
	objects := make([]history.Object, len(all))
	for i := range all {
		objects[i] = all[i].Object
	}
	then, err := recordOf(r, ctx, objects, q.At)
	if err != nil {
		return nil, err
	}
	may := func(p access.Part) bool {
		return r.May(ctx, access.RightTo(p, object.Cluster, object.Namespace)) == nil
	}
	pods, logs := may(access.Pods), may(access.Logs)
	chain := make([]jobview.Member, len(then.objects))
	for i := range then.objects { // jobs that did not exist at the instant are last
		o := &then.objects[i]
		m := jobview.Member{Attempt: all[i], Life: then.lives[o.ID], Body: then.bodies[o.ID]}
		m.Object = *o
		if !q.At.IsZero() {
			life := then.lives[o.ID]
			m.State, m.Reason, m.Message, m.Ran = cmp.Or(life.Outcome, job.State(o.State)), o.Reason, o.Message, life.Ran
		}
		// The jobs of a chain are in one namespace, so one answer holds for all of them.
		if !pods {
			m.Pods = jobview.NewPodSet(nil, nil, nil)
		} else if m.Pods, err = podsOf(r, ctx, objects[i], q.At); err != nil {
			return nil, err
		}
		if logs {
			if m.Logs, err = keptOf(r, ctx, o, q.At); err != nil {
				return nil, err
			}
		}
		chain[i] = m
	}
	return chain, nil
}

// keptOf returns the kept logs of a job; with an instant, the logs kept at that time.
func keptOf(r *reader, ctx context.Context, o *history.Object, at time.Time) ([]joblog.Log, error) {
	all, err := r.logs.Of(ctx, joblog.Selection{ClusterUID: o.ClusterUID, Namespace: o.Namespace, UIDs: []string{o.UID}, Limit: 1000})
	if !at.IsZero() {
		all = slices.DeleteFunc(all, func(l joblog.Log) bool { return l.Fetched.After(at) })
	}
	return all, err
}

// retries returns the jobs of the chain of a job that the person may see, the oldest first.
func retries(r *reader, ctx context.Context, q *question, object *history.Object) ([]history.Attempt, error) {
	all, err := r.history.Chain(ctx, object.ClusterUID, object.Type, object.UID)
	if err != nil {
		return nil, mapped(err)
	}
	seen := all[:0]
	for _, a := range all {
		if o := &a.Object; q.sight.SeesJob(o.Cluster, o.ClusterUID, o.Type.String(), o.Namespace, o.Created) {
			seen = append(seen, a)
		}
	}
	return seen, nil
}
