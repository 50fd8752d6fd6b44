package joblist

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/history"
)

// liveJob is a job of a cluster, without a history.
type liveJob struct {
	history.Job
	podLabels map[string]string // nil: the job is the controller of its pods
	entries   []job.Transition
	pods      []job.Status // of its pods that have not ended
}

// withPods sets the state of the job by what its pods say.
func (j *liveJob) withPods() {
	own := job.Status{State: job.State(j.State), Raw: j.Raw, Reason: j.Reason, Message: j.Message, At: j.Since}
	s := own.WithPods(j.pods)
	if s.State != own.State {
		if s.At.After(j.Submitted) {
			j.Since = s.At
		}
		j.entries = append(j.entries, job.Transition{To: s.State, At: j.Since})
	}
	j.State, j.Raw, j.Reason, j.Message = string(s.State), s.Raw, s.Reason, s.Message
	if s.State != job.Running && s.State != job.Starting {
		j.Node = ""
	}
}

// isPart reports whether another job controls an object.
func isPart(object metav1.Object) bool {
	owner := metav1.GetControllerOf(object)
	if owner == nil {
		return false
	}
	return slices.Contains(job.Parents(), owner.Kind)
}

// liveJobOf returns the row of an object, with the times that the object says.
func liveJobOf(r kube.Resource, object *unstructured.Unstructured) liveJob {
	object.SetAPIVersion(r.APIVersion()) // items of lists may lack both
	object.SetKind(r.Kind)
	status := job.ReadStatus(object.Object)
	created := object.GetCreationTimestamp().Time
	j := liveJob{Job: history.Job{
		Type: r.String(), Kind: r.Kind, Namespace: object.GetNamespace(), Name: object.GetName(), UID: string(object.GetUID()),
		State: string(status.State), Raw: status.Raw, Reason: status.Reason, Message: status.Message, Since: status.At, Submitted: created,
		Presence: history.Present, Submitter: job.SubmitterOf(object.GetLabels(), object.GetAnnotations()), Tries: 1,
	}}
	spec := job.ReadSpec(object.Object)
	start := startOf(spec.Object())
	if j.Since.IsZero() {
		if j.Since = created; !status.State.Waits() && start.After(created) {
			j.Since = start
		}
	}
	facts := spec.Facts(status.State)
	j.Queue = spec.Queue
	j.Describe(&facts)
	j.podLabels = spec.PodLabels
	if status.State.Final() {
		j.Ended = j.Since
	}
	j.entries = entriesOf(&j.Job, start)
	return j
}

// startOf returns when a job began, as its status says.
func startOf(o job.Object) time.Time {
	for _, name := range []string{"startTime", "startedAt"} {
		if at := o.Moment("status", name); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// entriesOf returns what an object says about its states: when it was created, when it began,
// and when it entered the state in which it is. Attempts before the last one are not told.
func entriesOf(j *history.Job, start time.Time) (all []job.Transition) {
	at := j.Submitted
	add := func(s job.State, from time.Time) {
		if from.Before(at) {
			from = at
		}
		all, at = append(all, job.Transition{To: s, At: from}), from
	}
	now := job.State(j.State)
	began := !start.IsZero() && !start.After(j.Since)
	switch {
	case now == job.Submitted, began && start.Sub(j.Submitted) < time.Second:
	case now != job.Queued && j.Queue != "":
		add(job.Queued, j.Submitted)
	default:
		add(job.Submitted, j.Submitted)
	}
	if began && !now.Waits() {
		switch {
		case now == job.Running && j.Since.Sub(start) >= time.Second:
			add(job.Starting, start)
		case now == job.Starting, now == job.Running:
		default:
			add(job.Running, start)
		}
	}
	add(now, j.Since)
	return all
}

// podKey returns by what pods of the job are found; see podKeys.
func (j *liveJob) podKey() string {
	for name, value := range j.podLabels {
		return j.Namespace + "/" + name + "=" + value
	}
	return j.Namespace + "/" + j.UID
}

// podKeys returns the keys of the jobs to which a pod can belong.
func podKeys(pod *corev1.Pod) (keys []string) {
	if owner := metav1.GetControllerOf(pod); owner != nil {
		keys = append(keys, pod.Namespace+"/"+string(owner.UID))
	}
	for name, value := range pod.Labels {
		keys = append(keys, pod.Namespace+"/"+name+"="+value)
	}
	return keys
}
