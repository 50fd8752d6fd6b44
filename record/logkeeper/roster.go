package logkeeper

import (
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/wire"
)

// roster remembers the selected pods and the ends that were taken of each. Any goroutine
// may use it.
type roster struct {
	mu   sync.Mutex
	pods map[string]*entry // by UID; an entry with selected unset holds a decision only
}

// entry is what the keeper remembers of a pod.
type entry struct {
	key      wire.Key
	selected bool
	tailed   bool
	deleting bool // that the pod is being deleted was seen
	runs     map[string]lastRun
}

// lastRun is the last run of a container whose end was taken.
type lastRun struct {
	id      string
	restart int
	// swept reports that the end is left to the sweeper.
	swept bool
}

func newRoster() *roster { return &roster{pods: map[string]*entry{}} }

// decided returns what was decided about a pod.
func (l *roster) decided(uid string) (selected, decided bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.pods[uid]
	return e != nil && e.selected, e != nil
}

// decide stores a decision.
func (l *roster) decide(pod *corev1.Pod, selected, tailed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pods[string(pod.UID)] == nil {
		l.pods[string(pod.UID)] = &entry{key: wire.Key{Namespace: pod.Namespace, Name: pod.Name}, selected: selected, tailed: tailed}
	}
}

// size returns the number of selected pods.
func (l *roster) size() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.pods {
		if e.selected {
			n++
		}
	}
	return n
}

// news is what a revision of a pod tells for the first time.
type news struct {
	ended []ending
	// skipped are runs that ended unseen, between two that were seen.
	skipped []ending
	// deleting are the runs that have not ended, if the pod is being deleted.
	deleting []run
	// running are the runs to be followed.
	running []run
}

// maxSkipped is how many skipped runs of a container are told at once: the last ones.
const maxSkipped = 8

// take returns the news of a revision of a selected pod. sweep leaves its ends to the
// sweeper.
func (l *roster) take(pod *corev1.Pod, sweep bool) (n news) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.pods[string(pod.UID)]
	if e == nil || !e.selected {
		return n
	}
	for _, end := range endings(pod) {
		last, seen := e.runs[end.container]
		if seen && (end.restart <= last.restart || end.id != "" && end.id == last.id) {
			continue
		}
		for r := max(last.restart+1, end.restart-maxSkipped); seen && r < end.restart; r++ {
			n.skipped = append(n.skipped, ending{container: end.container, restart: r})
		}
		if e.runs == nil {
			e.runs = map[string]lastRun{}
		}
		e.runs[end.container] = lastRun{end.id, end.restart, sweep}
		n.ended = append(n.ended, end)
	}
	alive := running(pod)
	if pod.DeletionTimestamp != nil && !e.deleting {
		e.deleting = true
		n.deleting = alive
	}
	if e.tailed || pod.DeletionTimestamp != nil {
		n.running = alive
	}
	return n
}

// leave leaves an end to the sweeper.
func (l *roster) leave(id runID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.pods[id.pod]; e != nil {
		if last := e.runs[id.container]; last.restart == id.restart {
			last.swept = true
			e.runs[id.container] = last
		}
	}
}

// swept reports whether an end is left to the sweeper.
func (l *roster) swept(id runID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.pods[id.pod]
	if e == nil {
		return false
	}
	last, seen := e.runs[id.container]
	return !seen || last.restart != id.restart || last.swept
}

// remove forgets a deleted pod, and returns what its last state tells: ends for the first
// time, and the runs whose end was not seen.
func (l *roster) remove(pod *corev1.Pod) (n news) {
	n = l.take(pod, false)
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.pods[string(pod.UID)]; e != nil && e.selected {
		n.running = running(pod)
	}
	delete(l.pods, string(pod.UID))
	return n
}

// find returns what a pod shows of a run: its end, or that it has not ended.
func find(pod *corev1.Pod, container string, restart int, id string) (e ending, ended, found bool) {
	for _, e := range endings(pod) {
		if e.container == container && (e.restart == restart && (id == "" || e.id == "" || e.id == id) || id != "" && e.id == id) {
			return e, true, true
		}
	}
	for _, r := range running(pod) {
		if r.container == container && r.restart == restart {
			return r.unended(), false, true
		}
	}
	return e, false, false
}
