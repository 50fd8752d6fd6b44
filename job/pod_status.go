package job

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// coreKinds are built-in types that are not jobs. The phase of a node is deprecated.
var coreKinds = []Kind{
	{Name: "Pod", Resource: "pods", Status: statusOfPod, podSets: func(o Object) []podSet { return []podSet{podsOf(1, o.Map("spec"))} }},
	{Name: "Node", Resource: "nodes", Status: statusOfConditions},
	{Group: "apps", Name: "Deployment", Resource: "deployments", Status: statusOfDeployment},
}

// statusOfPod follows the phases of a Pod (Kubernetes documentation, Pod Lifecycle)
// and, within a phase, the states of its containers.
func statusOfPod(pod Object) Status {
	s := Status{Raw: pod.Text("status", "phase"), Reason: pod.Text("status", "reason"), Message: pod.Text("status", "message")}
	switch s.Raw {
	case "Succeeded":
		s.State, s.At = Succeeded, lastMoment(pod, "state", "terminated", "finishedAt")
	case "Failed":
		s.State, s.At = Failed, lastMoment(pod, "state", "terminated", "finishedAt")
		s.ended(pod)
	case "Running":
		s.running(pod)
	case "Pending":
		s.pending(pod)
	case "Unknown": // its node is lost, and the containers show what it did last
		if s.State = Running; pod.At("status", "containerStatuses") != nil && !slices.ContainsFunc(pod.List("status", "containerStatuses"), hasRun) {
			s.State = Starting
		}
	case "":
		s.State, s.At = Submitted, pod.created()
	}
	return s
}

// running distinguishes a Pod that works from a Pod whose containers are restarted.
func (s *Status) running(pod Object) {
	s.State, s.At = Running, lastMoment(pod, "state", "running", "startedAt")
	if c := disruptionOf(pod); c.reason != "" && pod.Text("metadata", "deletionTimestamp") != "" {
		s.Reason, s.Message = c.reason, c.message // it is why the pod is deleted
		return
	}
	c := waitReason(pod)
	if c.reason == "" {
		c = crashReason(pod)
	}
	if c != (condition{}) {
		s.because(c)
		s.State, s.At = Restarting, parseTime(c.since)
	}
}

// disruptionOf returns why the cluster ends a Pod: preemption, eviction, or the loss of its
// node.
func disruptionOf(pod Object) condition {
	if c := conditionOf(pod, "DisruptionTarget"); c.holds() {
		return c
	}
	return condition{}
}

// pending distinguishes a Pod that waits for a node from a Pod whose containers are being
// started.
func (s *Status) pending(pod Object) {
	scheduled := conditionOf(pod, "PodScheduled")
	if pod.Text("spec", "nodeName") == "" {
		s.State, s.At = Queued, pod.created() // the condition is from the first attempt to schedule it
		if scheduled.status == "False" {
			s.because(scheduled)
		}
		return
	}
	s.State, s.At = Starting, scheduled.trueSince()
	s.because(disruptionOf(pod))
	if !conditionOf(pod, "Initialized").holds() {
		s.because(initReason(pod))
	}
	s.because(waitReason(pod))
}

// Unplaced reports whether a reason says that a pod has no node: none fits, or the scheduler does
// not look for one.
func Unplaced(reason string) bool { return reason == "Unschedulable" || reason == "SchedulingGated" }

// because sets reason and message unless they are already set.
func (s *Status) because(c condition) {
	if s.Reason == "" {
		s.Reason, s.Message = c.reason, c.message
	}
}

// lastMoment returns the latest time that containers have at a path.
func lastMoment(pod Object, path ...string) (at time.Time) {
	for _, containers := range []string{"initContainerStatuses", "containerStatuses"} {
		pod.each(func(c Object) { at = laterOf(at, c.Moment(path...)) }, "status", containers)
	}
	return at
}

// ended sets why a failed pod ended.
func (s *Status) ended(pod Object) {
	e := FirstEnding(pod)
	if e == nil {
		s.because(disruptionOf(pod))
		return
	}
	s.Reason, s.Message = e.Reason, e.Message
	if e.Exit == nil {
		return
	}
	s.Message = endMessage(int64(*e.Exit), e.Message)
	if e.Role == InitContainer {
		s.Reason = initPrefix + cmp.Or(e.Reason, "ExitCode:"+strconv.Itoa(*e.Exit))
	}
}
