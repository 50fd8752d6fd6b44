package jobview

import (
	"cmp"
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/portal/api"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/submit/logs"
)

// PodSet has the recorded pods of one job. It does not change.
type PodSet struct {
	objects []history.Object
	lives   map[int64]history.ObjectLife
	pods    []*corev1.Pod  // of the objects; the status is empty if no body is recorded
	first   map[string]int // the numbers of their first attempts, by UID
	runs    []run
}

// NewPodSet returns the set of some pods with their last bodies and their lives. Both may be
// missing. It does not read the database.
func NewPodSet(objects []history.Object, bodies map[int64][]byte, lives map[int64]history.ObjectLife) *PodSet {
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
	for _, p := range s.pods {
		s.runs = append(s.runs, runsOf(p, s.first[string(p.UID)])...)
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

// exitOf returns the exit code of a pod: the one of the container that failed last, else 0 if all
// containers that ran have ended.
func (s *PodSet) exitOf(uid string) *int {
	var last *run
	ended := false
	for i := range s.runs {
		r := &s.runs[i]
		if r.podUID != uid {
			continue
		}
		ended = r.over
		if r.failed() && (last == nil || r.ended.After(last.ended)) {
			last = r
		}
	}
	switch {
	case last != nil:
		return &last.exit
	case ended:
		return new(int)
	}
	return nil
}

// spansOf returns the life of a pod that began in an attempt. Each restart begins another attempt.
func spansOf(life history.ObjectLife, attempt int) []api.Span {
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
		if o.State == string(state.Running) || o.State == string(state.Starting) {
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

// Failure returns the reason and the exit code of the first failed container of the last attempt.
// reason is empty if none failed.
func (s *PodSet) Failure() (reason string, exit *int) {
	last := 0
	for i := range s.runs {
		if s.runs[i].failed() {
			last = max(last, s.runs[i].attempt)
		}
	}
	if r := firstFailure(s.runs, last); r != nil {
		return r.reason, &r.exit
	}
	for i := range s.objects { // evicted before a container ended
		if o := &s.objects[i]; s.first[o.UID] >= last && (o.State == string(state.Failed) || s.lives[o.ID].Outcome == state.Failed) {
			return o.Reason, nil
		}
	}
	return "", nil
}
