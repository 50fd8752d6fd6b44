package job

import (
	"strconv"
	"strings"
)

// initPrefix precedes the reason of an init container, as in the column STATUS of kubectl:
// Init:CrashLoopBackOff. Recorded reasons contain it.
const initPrefix = "Init:"

// ContainerReason returns the reason of a container in the reason of a pod: the same, or
// the rest if the container is an init container.
func ContainerReason(reason string) string { return strings.TrimPrefix(reason, initPrefix) }

// routineReason are the reasons of containers that wait only for others, or start.
func routineReason(reason string) bool {
	return reason == "PodInitializing" || reason == "ContainerCreating"
}

// waitReason returns why a container waits, and since when: a container that has run before
// waits since its end. Of several containers it is the first with a problem.
func waitReason(pod Object) condition {
	var why condition
	pod.each(func(c Object) {
		reason := c.Text("state", "waiting", "reason")
		if reason == "" || why.reason != "" && (!routineReason(why.reason) || routineReason(reason)) {
			return
		}
		why = condition{reason: reason, message: c.Text("state", "waiting", "message"), since: c.Text("lastState", "terminated", "finishedAt")}
	}, "status", "containerStatuses")
	return why
}

// initReason returns why the first init container that has not succeeded waits or
// failed. Init containers run one after another.
func initReason(pod Object) condition {
	var why condition
	first := true
	pod.each(func(c Object) {
		if !first || c.At("state", "terminated") != nil && c.Integer("state", "terminated", "exitCode") == 0 || startedSidecar(c) {
			return
		}
		first = false
		switch why = failReason(c); {
		case why.message == "":
			why.reason, why.message = c.Text("state", "waiting", "reason"), c.Text("state", "waiting", "message")
		case why.reason == "":
			why.reason = "ExitCode:" + strconv.FormatInt(c.Integer("state", "terminated", "exitCode"), 10)
		}
		if why.reason == "" || routineReason(why.reason) {
			why = condition{}
			return
		}
		why.reason = initPrefix + why.reason
	}, "status", "initContainerStatuses")
	return why
}

// startedSidecar reports whether an init container lets the next one start: it is a sidecar.
func startedSidecar(c Object) bool {
	is, _ := c["started"].(bool)
	return is
}

// crashReason returns why a container of a running pod ended that will be restarted.
func crashReason(pod Object) condition {
	var why condition
	if pod.Text("spec", "restartPolicy") == "Never" {
		return why
	}
	pod.each(func(c Object) {
		if f := failReason(c); why.message == "" {
			why = f
		}
	}, "status", "containerStatuses")
	return why
}

// failReason returns how a container ended with an exit code other than 0.
func failReason(c Object) condition {
	code := c.Integer("state", "terminated", "exitCode")
	if code == 0 {
		return condition{}
	}
	return condition{
		reason: c.Text("state", "terminated", "reason"), message: endMessage(code, c.Text("state", "terminated", "message")), since: c.Text("state", "terminated", "finishedAt"),
	}
}
