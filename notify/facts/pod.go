package facts

import (
	"strconv"
	"time"

	"github.com/vedette-io/vedette/internal/jobspec"
	"github.com/vedette-io/vedette/notify/message"
)

// ending is how a pod ended, or the reason why it cannot start.
type ending struct {
	cause message.Cause
	at    time.Time // zero if unknown
}

// readPod returns the ending of a pod. The reason is empty if the pod did not fail.
func readPod(body []byte) ending {
	t := jobspec.Parse(body)
	e := ending{cause: message.Cause{Pod: t.Text("metadata", "name"), Node: t.Text("spec", "nodeName")}}
	e.place(t)
	e.containers(t)
	e.disruption(t)
	return e
}

// bad reports whether the pod failed.
func (e *ending) bad() bool { return e.cause.Reason != "" }

// sameAs reports whether two pods ended for the same reason.
func (e *ending) sameAs(other *ending) bool {
	if e.cause.Reason != other.cause.Reason || e.cause.Reason == "" {
		return false
	}
	a, b := e.cause.ExitCode, other.cause.ExitCode
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// place reads the role and the index of the pod in the job.
func (e *ending) place(t jobspec.Object) {
	labels := t.Map("metadata", "labels")
	for _, names := range [][2]string{
		{"training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index"},
		{"volcano.sh/task-spec", "volcano.sh/task-index"},
		{"jobset.sigs.k8s.io/replicatedjob-name", "batch.kubernetes.io/job-completion-index"},
	} {
		role := labels.Text(names[0])
		index, err := strconv.Atoi(labels.Text(names[1]))
		if role != "" && err == nil && index >= 0 {
			e.cause.Role, e.cause.Index = role, &index
			return
		}
	}
}

// containers reads the container that failed first, or a container whose image is missing.
func (e *ending) containers(t jobspec.Object) {
	for _, kind := range []struct{ status, spec string }{{"initContainerStatuses", "initContainers"}, {"containerStatuses", "containers"}} {
		for _, c := range t.List("status", kind.status) {
			ended := c.Map("state", "terminated")
			if ended == nil { // the container was restarted
				ended = c.Map("lastState", "terminated")
			}
			if code, ok := ended.Number("exitCode"); ok && code != 0 {
				at := ended.Moment("finishedAt")
				if e.bad() && !at.Before(e.at) {
					continue
				}
				e.at, e.cause.ExitCode = at, &code
				e.cause.Reason = reasons[ended.Text("reason")]
				if e.cause.Reason == "" {
					e.cause.Reason = message.ExitError
				}
				if e.cause.Limit = ""; e.cause.Reason == message.OOMKilled {
					e.cause.Limit = limitOf(t.List("spec", kind.spec), c.Text("name"))
				}
			}
			if waits := reasons[c.Text("state", "waiting", "reason")]; waits == message.ImagePull && !e.bad() {
				e.cause.Reason = waits
			}
		}
	}
}

// limitOf returns the memory limit of a container.
func limitOf(containers []jobspec.Object, name string) string {
	for _, c := range containers {
		if c.Text("name") == name {
			return jobspec.Memory(c.At("resources", "limits", "memory"))
		}
	}
	return ""
}

// disruption reads the reason why the platform ended the pod. It takes precedence over the
// exit codes of the containers.
func (e *ending) disruption(t jobspec.Object) {
	reason, why := reasons[t.Text("status", "reason")], t.Text("status", "message")
	at := time.Time{}
	for _, c := range t.List("status", "conditions") {
		if c.Text("type") == "DisruptionTarget" && c.Text("status") == "True" && reason == "" {
			reason, why, at = reasons[c.Text("reason")], c.Text("message"), c.Moment("lastTransitionTime")
		}
	}
	switch reason {
	case message.Evicted, message.NodeLost, message.Preempted, message.DeadlineExceeded:
		e.cause.Reason, e.cause.Limit, e.cause.ExitCode = reason, "", nil
		if reason == message.Evicted {
			e.cause.Why = why
		}
		if n, ok := t.Number("spec", "activeDeadlineSeconds"); ok && reason == message.DeadlineExceeded {
			e.cause.Limit = message.Duration(time.Duration(n) * time.Second)
		}
		if e.at.IsZero() {
			e.at = at
		}
	}
}
