package watchview

import (
	"context"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
)

// podStates adds to the states of jobs what their pods say, see job.Status.WithPods. Any goroutine
// may use it.
type podStates struct {
	status func(object map[string]any) job.Status

	mu   sync.Mutex                       // also held while a line about a job is printed, so lines are in the order of their states
	pods map[string]map[string]job.Status // by the key of a job, and the UID of the pod
	keys map[string][]string              // of the jobs of a pod, by its UID
	jobs map[string][]*shownJob           // by key
}

// printState prints a line about a job whose pods show another state or reason.
type printState func(change string, last job.State, why string, at time.Time) error

// shownJob is a job whose state was printed.
type shownJob struct {
	uid   string
	print printState
	own   job.Status // of its object
	shown job.Status
}

func newPodStates(status func(map[string]any) job.Status) *podStates {
	return &podStates{status: status, pods: map[string]map[string]job.Status{}, keys: map[string][]string{}, jobs: map[string][]*shownJob{}}
}

// jobKey returns the key of a job: the label of its pods, or its UID.
func jobKey(obj *Object) string {
	spec := job.ReadSpec(obj.Object)
	for name, value := range spec.PodLabels {
		return obj.GetNamespace() + "/" + name + "=" + value
	}
	return obj.GetNamespace() + "/" + string(obj.GetUID())
}

// keysOfPod returns the keys of the jobs to which a pod may belong.
func keysOfPod(pod *Object) (keys []string) {
	if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
		keys = append(keys, pod.GetNamespace()+"/"+string(owner.UID))
	}
	for name, value := range pod.GetLabels() {
		keys = append(keys, pod.GetNamespace()+"/"+name+"="+value)
	}
	return keys
}

// see returns the status of a job with its pods, and the status that was shown before; known is
// false for a new job. The caller holds the lock.
func (s *podStates) see(ev informer.Event[Object], obj *Object, own job.Status, print printState) (now, before job.Status, known bool) {
	key := jobKey(obj)
	i := slices.IndexFunc(s.jobs[key], func(j *shownJob) bool { return j.uid == ev.UID() })
	if i >= 0 {
		before, known = s.jobs[key][i].shown, true
		s.jobs[key] = slices.Delete(s.jobs[key], i, i+1)
	}
	if ev.Kind() == store.Deleted {
		return own, before, known
	}
	now = s.with(key, own)
	s.jobs[key] = append(s.jobs[key], &shownJob{uid: ev.UID(), print: print, own: own, shown: now})
	return now, before, known
}

// with returns the status of the job of a key with its pods.
func (s *podStates) with(key string, own job.Status) job.Status {
	var pods []job.Status
	for _, p := range s.pods[key] {
		pods = append(pods, p)
	}
	return own.WithPods(pods)
}

// follow prints the changes of the states of jobs that only their pods show.
func (s *podStates) follow(ctx context.Context, inf *informer.Informer[Object]) error {
	select {
	case <-inf.Synced():
	case <-ctx.Done():
		return nil
	}
	for ev := range inf.Changes(ctx, informer.SubscriptionConfig{Mode: store.Lossless}) {
		pod, err := ev.Object()
		if err != nil {
			continue // watch pods shows it
		}
		if err := s.pod(ev, pod, time.Now()); err != nil {
			return err
		}
	}
	return nil
}

// pod applies an event of a pod.
func (s *podStates) pod(ev informer.Event[Object], pod *Object, at time.Time) error {
	pod.SetAPIVersion("v1")
	pod.SetKind("Pod")
	status, uid := s.status(pod.Object), ev.UID()
	s.mu.Lock()
	defer s.mu.Unlock()
	touched := slices.Concat(s.keys[uid], keysOfPod(pod))
	for _, key := range s.keys[uid] {
		if delete(s.pods[key], uid); len(s.pods[key]) == 0 {
			delete(s.pods, key)
		}
	}
	delete(s.keys, uid)
	if ev.Kind() != store.Deleted && !status.State.Final() {
		s.keys[uid] = keysOfPod(pod)
		for _, key := range s.keys[uid] {
			if s.pods[key] == nil {
				s.pods[key] = map[string]job.Status{}
			}
			s.pods[key][uid] = status
		}
	}
	slices.Sort(touched)
	for _, key := range slices.Compact(touched) {
		for _, j := range s.jobs[key] {
			if err := s.show(j, key, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// show prints a job whose pods show something else than before.
func (s *podStates) show(j *shownJob, key string, at time.Time) error {
	now, before := s.with(key, j.own), j.shown
	if now.State == before.State && now.Reason == before.Reason {
		return nil
	}
	j.shown = now
	change := now.String()
	if from := before.String(); from != change {
		change = from + " -> " + change
	}
	return j.print(change, now.State, now.Reason, at)
}

// isJob reports whether the objects of a type have pods that say more about their states.
func isJob(r kube.Resource) bool { return slices.Contains(job.Types(), r.String()) }
