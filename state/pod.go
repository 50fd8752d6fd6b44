package state

import "time"

// ofPod follows the phases of a Pod (Kubernetes documentation, Pod Lifecycle)
// and, within a phase, the states of its containers.
func ofPod(pod map[string]any) Status {
	s := Status{Raw: text(pod, "status", "phase"), Reason: text(pod, "status", "reason"), Message: text(pod, "status", "message")}
	switch s.Raw {
	case "Succeeded":
		s.State, s.At = Succeeded, last(pod, "state", "terminated", "finishedAt")
	case "Failed":
		s.State, s.At = Failed, last(pod, "state", "terminated", "finishedAt")
		s.because(terminated(pod))
	case "Running":
		s.State, s.At = Running, last(pod, "state", "running", "startedAt")
		if c := waiting(pod); c.reason != "" {
			s.because(c)
			s.State, s.At = Restarting, parse(c.since)
		}
	case "Pending":
		s.pending(pod)
	case "":
		s.State, s.At = Submitted, created(pod)
	}
	return s
}

// pending distinguishes a Pod that waits for a node from a Pod whose containers are being
// started.
func (s *Status) pending(pod map[string]any) {
	scheduled := conditions(pod)["PodScheduled"]
	if text(pod, "spec", "nodeName") == "" {
		s.State, s.At = Queued, created(pod) // the condition is from the first attempt to schedule it
		if scheduled.status == "False" {
			s.because(scheduled)
		}
		return
	}
	s.State, s.At = Starting, scheduled.trueSince()
	s.because(waiting(pod))
}

// because sets reason and message unless they are already set.
func (s *Status) because(c condition) {
	if s.Reason == "" {
		s.Reason, s.Message = c.reason, c.message
	}
}

// last returns the latest time that containers have at a path.
func last(pod map[string]any, path ...string) (at time.Time) {
	for _, containers := range []string{"initContainerStatuses", "containerStatuses"} {
		each(pod, func(c map[string]any) { at = later(at, moment(c, path...)) }, "status", containers)
	}
	return at
}

// waiting returns why a container waits, the last container first, and since when: a
// container that has run before waits since its end.
func waiting(pod map[string]any) condition {
	var why condition
	each(pod, func(c map[string]any) {
		if reason := text(c, "state", "waiting", "reason"); reason != "" {
			why = condition{reason: reason, message: text(c, "state", "waiting", "message"), since: text(c, "lastState", "terminated", "finishedAt")}
		}
	}, "status", "containerStatuses")
	return why
}

// terminated returns why a container failed.
func terminated(pod map[string]any) condition {
	var why condition
	each(pod, func(c map[string]any) {
		code := number(c, "state", "terminated", "exitCode")
		if code == 0 {
			return
		}
		why = condition{reason: text(c, "state", "terminated", "reason"), message: text(c, "state", "terminated", "message")}
		if why.message == "" {
			why.message = ExitCodeMessage(code)
		}
	}, "status", "containerStatuses")
	return why
}
