package jobview

import (
	"cmp"
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"

	"github.com/vedette-io/vedette/platform/logs"
)

// PodSet has the recorded pods of one job. It does not change.
type PodSet struct {
	objects []history.Object
	lives   map[int64]job.Life
	pods    []*corev1.Pod  // of the objects; the status is empty if no body is recorded
	first   map[string]int // the numbers of their first attempts, by UID
	runs    []run
	// failures are the endings that may be the cause of an attempt's failure.
	failures []failure
}

// NewPodSet returns the set of some pods with their last bodies and their lives. Both may be
// missing. It does not read the database.
func NewPodSet(objects []history.Object, bodies map[int64][]byte, lives map[int64]job.Life) *PodSet {
	s := &PodSet{objects: objects, lives: lives}
	for i := range objects {
		o := &objects[i]
		p := new(corev1.Pod)
		if json.Unmarshal(bodies[o.ID], p) != nil {
			p = new(corev1.Pod)
		}
		// The row decides, because a body may be missing.
		p.Name, p.UID, p.CreationTimestamp.Time = o.Name, types.UID(o.UID), o.Created
		s.pods = append(s.pods, p)
	}
	s.first = logs.FirstAttempts(s.pods)
	for i := range objects {
		o := &objects[i]
		pod, first := job.ParseObject(bodies[o.ID]), s.first[o.UID]
		s.runs = append(s.runs, runsOf(o, pod, first)...)
		s.failures = append(s.failures, failuresOf(o, pod, first)...)
	}
	return s
}

// Len returns the number of pods.
func (s *PodSet) Len() int { return len(s.objects) }

// Pods returns the pods for the API: the last attempt first, and by name within an attempt.
func (s *PodSet) Pods() []api.Pod {
	all := make([]api.Pod, 0, len(s.objects))
	for i := range s.objects {
		all = append(all, s.pod(i))
	}
	slices.SortFunc(all, func(x, y api.Pod) int {
		return cmp.Or(cmp.Compare(y.Attempt, x.Attempt), cmp.Compare(len(x.Name), len(y.Name)), cmp.Compare(x.Name, y.Name), cmp.Compare(x.ID, y.ID))
	})
	return all
}

func (s *PodSet) pod(i int) api.Pod {
	o, p := &s.objects[i], s.pods[i]
	life := s.lives[o.ID]
	one := api.Pod{
		ID: o.ID, Name: o.Name, UID: o.UID, State: o.State, Reason: o.Reason, Message: cut(o.Message, maxMessage), Node: p.Spec.NodeName,
		Attempt: s.first[o.UID], Created: instant(o.Created), Ended: instant(life.Ended), Deleted: instant(o.Gone),
	}
	if life.Outcome != "" {
		one.State = string(life.Outcome)
	}
	for _, c := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		one.Restarts += int(max(c.RestartCount, 0))
	}
	one.ExitCode = s.exitOf(o.UID)
	one.Life = spansOf(life, one.Attempt)
	return one
}

// exitOf returns the exit code of a pod: the one of the container that is the cause of its last
// failure, else that of its main container, nil if that has not ended.
func (s *PodSet) exitOf(uid string) *int {
	var own []failure
	last := 0
	for _, f := range s.failures {
		if f.podUID == uid {
			own, last = append(own, f), max(last, f.attempt)
		}
	}
	if f := firstFailure(own, last); f != nil && f.Exit != nil {
		return f.Exit
	}
	var exit *int
	for i := range s.runs {
		if r := &s.runs[i]; r.podUID == uid && r.Role == job.MainContainer {
			if exit = nil; r.Over {
				exit = &r.Exit
			}
		}
	}
	return exit
}

// spansOf returns the life of a pod that began in an attempt. Each restart begins another attempt.
func spansOf(life job.Life, attempt int) []api.Span {
	all := Life(life.Spans)
	for i := range all {
		if all[i].Attempt > 0 {
			all[i].Attempt += attempt - 1
		}
	}
	if n := len(all); n > 0 && life.Ended.IsZero() {
		all[n-1].To = life.Ended
	}
	return all
}

// Nodes returns the nodes of the running pods, or else of the newest attempt, sorted and without
// duplicates.
func (s *PodSet) Nodes() []string {
	var running, newest []string
	last := 0
	for i := range s.objects {
		last = max(last, s.first[s.objects[i].UID])
	}
	for i := range s.objects {
		o, node := &s.objects[i], s.pods[i].Spec.NodeName
		if node == "" {
			continue
		}
		if o.State == string(job.Running) || o.State == string(job.Starting) {
			running = append(running, node)
		}
		if s.first[o.UID] == last {
			newest = append(newest, node)
		}
	}
	if running == nil {
		running = newest
	}
	slices.Sort(running)
	return slices.Compact(running)
}

// Failure returns the cause of the last attempt's failure, and its exit code. cause is empty if
// none failed.
func (s *PodSet) Failure() (cause string, exit *int) {
	last := 0
	for i := range s.failures {
		last = max(last, s.failures[i].attempt)
	}
	if f := firstFailure(s.failures, last); f != nil {
		return string(f.Cause), f.Exit
	}
	for i := range s.objects { // the body of the pod is not recorded
		if o := &s.objects[i]; s.first[o.UID] >= last && (o.State == string(job.Failed) || s.lives[o.ID].Outcome == job.Failed) {
			return cmp.Or(string(job.CauseOf(o.Reason)), o.Reason), nil
		}
	}
	return "", nil
}
