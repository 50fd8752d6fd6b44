package jobindex

import (
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

const (
	// maxPodJobs is the maximum number of jobs whose pods one look reads, the newest ones.
	maxPodJobs = 5000
	// A look at the pods of jobs takes at most a podShare-th of the time, and happens at
	// intervals between the shortest and the longest.
	podShare        = 20
	shortestPodLook = time.Second
	longestPodLook  = time.Minute
)

// addPodStates sets the states of jobs by job.Status.WithPods. A state that only the pods show is
// the last change in the life of the job.
func addPodStates(ctx context.Context, db *sqldb.DB, jobs []Job) error {
	var at []int
	var objects []history.Object
	for i := range jobs {
		if j := &jobs[i]; j.Presence == history.Present && j.State != "" && j.State != job.Suspended && !j.State.Final() {
			resource, group := job.SplitType(j.Type)
			at = append(at, i)
			objects = append(objects, history.Object{
				ID: j.ID, Cluster: j.Cluster, ClusterUID: j.ClusterUID, Type: history.Type{Group: group, Resource: resource, Kind: j.Kind}, Namespace: j.Namespace, Name: j.Name, UID: j.UID,
				Version: j.Version, Created: j.Submitted, State: string(j.State), Reason: j.Reason, Since: j.Since, Presence: j.Presence,
			})
		}
	}
	if err := history.New(db).WithPods(ctx, objects); err != nil {
		return err
	}
	for i := range objects {
		j, o := &jobs[at[i]], &objects[i]
		if s := job.State(o.State); s != j.State {
			j.State, j.Since = s, o.Since
			j.Transitions = append(j.Transitions, job.Transition{To: s, At: o.Since})
		}
		j.Reason = o.Reason
	}
	return nil
}

// podLook finds jobs whose pods show something else than before. The feed does not have it, because
// a new reason of a pod is no transition, and the transitions of pods are not those of their jobs.
type podLook struct {
	next time.Time
	jobs []int64 // jobs with a pod that has a new transition
}

// note notes the owners of pods that have a transition.
func (l *podLook) note(t *table, uids []string) {
	for _, uid := range uids {
		t.byUID.find(t.hashUID(uid), func(row uint32) bool {
			if _, u := t.name(row); u == uid {
				l.jobs = append(l.jobs, t.id[row])
			}
			return false
		})
	}
}

// due returns the jobs to look at now, without duplicates.
func (l *podLook) due(t *table, now time.Time) []int64 {
	ids := l.jobs
	l.jobs = nil
	if !now.Before(l.next) {
		ids = append(ids, t.podJobs(maxPodJobs)...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// done sets the time of the next look at all jobs, after a look with this beginning and end.
func (l *podLook) done(began, ended time.Time) {
	if !began.Before(l.next) {
		l.next = ended.Add(min(longestPodLook, max(shortestPodLook, podShare*ended.Sub(began))))
	}
}

// shows reports whether the table has the state and the reason of a job.
func (t *table) shows(j *Job) bool {
	row, known := t.find(j.ID)
	return !known || t.version[row] != int64(j.Version) || t.states.all[t.state[row]] == j.State && t.reasons.all[t.reason[row]] == j.Reason
}

// podJobs returns the newest jobs whose pods may show more than their objects. Jobs in a queue of
// Kueue have no pods, and jobs that run are noted if a pod of their own changes.
func (t *table) podJobs(most int) (ids []int64) {
	for i := len(t.order) - 1; i >= 0 && len(ids) < most; i-- {
		row := t.order[i]
		if t.states.final[t.state[row]] || history.Presence(t.presence[row]) != history.Present {
			continue
		}
		k, s := job.KindOfType(t.kinds[t.kind[row]].typ), t.states.all[t.state[row]]
		switch {
		case s == job.Suspended, s == "", k == nil:
		case s == job.Running && !k.Indirect:
		case s == job.Queued && t.reasons.all[t.reason[row]] == suspendedReason:
		default:
			ids = append(ids, t.id[row])
		}
	}
	return ids
}

// suspendedReason is the reason of a batch Job that waits in a queue of Kueue.
const suspendedReason = "JobSuspended"

// ownerOfPod returns the UID of the controller of a pod, or "" for other objects.
func ownerOfPod(o *model.ListedObject) string {
	if o.Type.Group != "" || o.Type.Resource != "pods" {
		return ""
	}
	return o.Owner.UID
}
