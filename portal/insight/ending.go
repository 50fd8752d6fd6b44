package insight

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/internal/jobspec"
)

// Causes of failures, in the terms of Kubernetes.
const (
	oomKilled        = "OOMKilled"
	exitError        = "Error"
	evicted          = "Evicted"
	nodeLost         = "NodeLost"
	deadlineExceeded = "DeadlineExceeded"
	preempted        = "Preempted"
	imagePull        = "ImagePullBackOff"
	quotaExceeded    = "QuotaExceeded"
)

// causes are the API reasons that name a cause. Reasons that only state a failure, such as
// BackoffLimitExceeded, are not included.
var causes = map[string]string{
	"OOMKilled": oomKilled,
	"Error":     exitError, "ContainerCannotRun": exitError, "StartError": exitError,
	"Evicted": evicted, "PodEvicted": evicted, "EvictionByEvictionAPI": evicted, "TerminationByKubelet": evicted,
	"NodeLost": nodeLost, "NodeShutdown": nodeLost, "DeletionByTaintManager": nodeLost, "DeletionByPodGC": nodeLost, "Shutdown": nodeLost,
	"DeadlineExceeded": deadlineExceeded,
	"Preempted":        preempted, "PreemptionByScheduler": preempted, "PreemptionByKubeScheduler": preempted,
	"ErrImagePull": imagePull, "ImagePullBackOff": imagePull, "InvalidImageName": imagePull, "ErrImageNeverPull": imagePull,
}

// ending is a failure of a container or a pod.
type ending struct {
	cause     string
	at        time.Time // zero if the pod does not have it
	pod, node string
	role      string // "worker-2", if the labels have it
	container string // empty if the whole pod ended
	init      bool
	code      *int
	limit     string // of memory, for people
	asked     string // the same, as in the pod
	why       string // of an eviction
	restart   int    // number of earlier starts of the container
}

// same reports whether two endings have the same cause and exit code.
func (e *ending) same(other *ending) bool {
	return e.cause == other.cause && (e.code == nil) == (other.code == nil) && (e.code == nil || *e.code == *other.code)
}

// compare orders endings by time. Of two in the same second, the container that got a
// signal to stop is a consequence of the other.
func (e *ending) compare(other *ending) int {
	told := func(e *ending) int {
		if e.code != nil && *e.code == 143 {
			return 1
		}
		return 0
	}
	return cmp.Or(e.at.Compare(other.at), cmp.Compare(told(e), told(other)), cmp.Compare(e.pod, other.pod))
}

// endingsOf returns the failures in the status of a pod: the last two of each container.
func endingsOf(pod jobspec.Object) (all []ending) {
	base := ending{pod: pod.Text("metadata", "name"), node: pod.Text("spec", "nodeName"), role: roleOf(pod.Map("metadata", "labels"))}
	if e, ok := disruption(pod, base); ok {
		return []ending{e}
	}
	for _, kind := range []struct {
		status, spec string
		init         bool
	}{{"initContainerStatuses", "initContainers", true}, {"containerStatuses", "containers", false}} {
		for _, c := range pod.List("status", kind.status) {
			restarts, _ := c.Number("restartCount")
			for back, run := range []jobspec.Object{c.Map("state", "terminated"), c.Map("lastState", "terminated")} {
				code, ok := run.Number("exitCode")
				if !ok || code == 0 {
					continue
				}
				e := base
				e.container, e.init, e.code, e.at, e.restart = c.Text("name"), kind.init, &code, run.Moment("finishedAt"), max(0, restarts-back)
				e.cause = cmp.Or(causes[run.Text("reason")], exitError)
				if e.cause == oomKilled {
					e.limit, e.asked = memoryLimit(pod.List("spec", kind.spec), e.container)
				}
				all = append(all, e)
			}
			if causes[c.Text("state", "waiting", "reason")] == imagePull {
				e := base
				e.container, e.init, e.cause = c.Text("name"), kind.init, imagePull
				all = append(all, e)
			}
		}
	}
	return all
}

// memoryLimit returns the memory limit of a container, for people and as in the pod.
func memoryLimit(containers []jobspec.Object, name string) (text, quantity string) {
	for _, c := range containers {
		if c.Text("name") == name {
			limit := c.At("resources", "limits", "memory")
			if text = jobspec.Memory(limit); text != "" {
				quantity = fmt.Sprint(limit)
			}
			return text, quantity
		}
	}
	return "", ""
}

// disruption returns how the platform ended a pod. It takes precedence over the exit codes
// of the containers.
func disruption(pod jobspec.Object, e ending) (ending, bool) {
	e.cause, e.why = causes[pod.Text("status", "reason")], pod.Text("status", "message")
	for _, c := range pod.List("status", "conditions") {
		if c.Text("type") == "DisruptionTarget" && holds(c) && e.cause == "" {
			e.cause, e.why, e.at = causes[c.Text("reason")], c.Text("message"), c.Moment("lastTransitionTime")
		}
	}
	switch e.cause {
	case evicted, nodeLost, preempted, deadlineExceeded:
	default:
		return ending{}, false
	}
	if e.cause != evicted {
		e.why = ""
	}
	for _, c := range pod.List("status", "containerStatuses") {
		if at := c.Moment("state", "terminated", "finishedAt"); e.at.IsZero() && !at.IsZero() {
			e.at = at
		}
	}
	return e, true
}

// roleOf returns the place of a pod in its job, such as "worker-2".
func roleOf(labels jobspec.Object) string {
	for _, names := range [][2]string{
		{"training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index"},
		{"volcano.sh/task-spec", "volcano.sh/task-index"},
		{"jobset.sigs.k8s.io/replicatedjob-name", "batch.kubernetes.io/job-completion-index"},
	} {
		role := labels.Text(names[0])
		if index, err := strconv.Atoi(labels.Text(names[1])); role != "" && err == nil && index >= 0 {
			return role + "-" + strconv.Itoa(index)
		}
	}
	return ""
}

// signals are the signals that end processes, by number.
var signals = map[int]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL",
	10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
}

// signalOf returns the signal of an exit code, such as SIGKILL for 137; "" if the code is
// not a signal.
func signalOf(code *int) string {
	if code == nil {
		return ""
	}
	return signals[*code-128]
}
