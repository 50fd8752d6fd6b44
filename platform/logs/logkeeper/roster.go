package logkeeper

import (
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/wire"
)

// roster remembers the selected pods and the processed ends of each. Any goroutine may use
// it.
type roster struct {
	mu   sync.Mutex
	pods map[string]*entry // by UID; an entry with selected unset is only a decision
}

// entry is the state of a pod.
type entry struct {
	key      wire.Key
	selected bool
	tailed   bool
	deleting bool // the deletion was seen
	runs     map[string]lastRun
}

// lastRun is the last run of a container whose end was processed.
type lastRun struct {
	id      string
	restart int
	// swept is set if the sweeper handles the end.
	swept bool
}

func newRoster() *roster { return &roster{pods: map[string]*entry{}} }

// decided returns the decision about a pod.
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

// news has the facts that a revision of a pod shows for the first time.
type news struct {
	ended []ending
	// skipped are the runs that ended unobserved, between two observed ones.
	skipped []ending
	// deleting are the runs that have not ended, if the pod is being deleted.
	deleting []run
	// running are the runs to follow.
	running []run
}

// maxSkipped is the maximum number of skipped runs of a container that are reported; the
// last ones are.
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

// swept reports whether the sweeper handles an end.
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

// remove removes a deleted pod, and returns the news of its last state: new ends, and the
// runs whose end was not seen.
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

// find returns the state of a run in the status of a pod: its end, or that it has not
// ended.
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
