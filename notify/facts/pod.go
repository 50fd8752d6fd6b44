package facts

import (
	"strconv"
	"time"

	"github.com/vedette-io/vedette/notify/message"
)

// ending is how a pod ended, or why it cannot begin.
type ending struct {
	cause message.Cause
	at    time.Time // zero if the pod does not say
}

// readPod returns how a pod ended. The reason is empty if it did not end badly.
func readPod(body []byte) ending {
	t := parseTree(body)
	e := ending{cause: message.Cause{Pod: t.text("metadata", "name"), Node: t.text("spec", "nodeName")}}
	e.place(t)
	e.containers(t)
	e.disruption(t)
	return e
}

// bad reports whether the pod ended, and not as it should.
func (e *ending) bad() bool { return e.cause.Reason != "" }

// sameAs reports whether two pods ended for the same reason.
func (e *ending) sameAs(other *ending) bool {
	if e.cause.Reason != other.cause.Reason || e.cause.Reason == "" {
		return false
	}
	a, b := e.cause.ExitCode, other.cause.ExitCode
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}

// place reads which replica of the job the pod is.
func (e *ending) place(t tree) {
	labels := t.tree("metadata", "labels")
	for _, names := range [][2]string{
		{"training.kubeflow.org/replica-type", "training.kubeflow.org/replica-index"},
		{"volcano.sh/task-spec", "volcano.sh/task-index"},
		{"jobset.sigs.k8s.io/replicatedjob-name", "batch.kubernetes.io/job-completion-index"},
	} {
		role := labels.text(names[0])
		index, err := strconv.Atoi(labels.text(names[1]))
		if role != "" && err == nil && index >= 0 {
			e.cause.Role, e.cause.Index = role, &index
			return
		}
	}
}

// containers reads the container that ended first with an error, or one without its image.
func (e *ending) containers(t tree) {
	for _, kind := range []struct{ status, spec string }{{"initContainerStatuses", "initContainers"}, {"containerStatuses", "containers"}} {
		for _, c := range t.list("status", kind.status) {
			ended := c.tree("state", "terminated")
			if ended == nil { // it is started again
				ended = c.tree("lastState", "terminated")
			}
			if code, ok := ended.number("exitCode"); ok && code != 0 {
				at := ended.moment("finishedAt")
				if e.bad() && !at.Before(e.at) {
					continue
				}
				e.at, e.cause.ExitCode = at, &code
				e.cause.Reason = reasons[ended.text("reason")]
				if e.cause.Reason == "" {
					e.cause.Reason = message.ExitError
				}
				if e.cause.Limit = ""; e.cause.Reason == message.OOMKilled {
					e.cause.Limit = limitOf(t.list("spec", kind.spec), c.text("name"))
				}
			}
			if waits := reasons[c.text("state", "waiting", "reason")]; waits == message.ImagePull && !e.bad() {
				e.cause.Reason = waits
			}
		}
	}
}

// limitOf returns the memory limit of a container.
func limitOf(containers []tree, name string) string {
	for _, c := range containers {
		if c.text("name") == name {
			return memory(c.at("resources", "limits", "memory"))
		}
	}
	return ""
}

// disruption reads why the platform ended the pod. That counts more than the exit code that
// its containers had then.
func (e *ending) disruption(t tree) {
	reason, why := reasons[t.text("status", "reason")], t.text("status", "message")
	at := time.Time{}
	for _, c := range t.list("status", "conditions") {
		if c.text("type") == "DisruptionTarget" && c.text("status") == "True" && reason == "" {
			reason, why, at = reasons[c.text("reason")], c.text("message"), c.moment("lastTransitionTime")
		}
	}
	switch reason {
	case message.Evicted, message.NodeLost, message.Preempted, message.DeadlineExceeded:
		e.cause.Reason, e.cause.Limit, e.cause.ExitCode = reason, "", nil
		if reason == message.Evicted {
			e.cause.Why = why
		}
		if n, ok := t.number("spec", "activeDeadlineSeconds"); ok && reason == message.DeadlineExceeded {
			e.cause.Limit = message.Duration(time.Duration(n) * time.Second)
		}
		if e.at.IsZero() {
			e.at = at
		}
	}
}
