package state

import "strconv"

// ofPod follows the phases of a Pod (Kubernetes documentation, Pod Lifecycle)
// and what its containers say within them.
func ofPod(pod map[string]any) Status {
	s := Status{Raw: text(pod, "status", "phase"), Reason: text(pod, "status", "reason"), Message: text(pod, "status", "message")}
	switch s.Raw {
	case "Succeeded":
		s.State = Succeeded
	case "Failed":
		s.State = Failed
		s.because(terminated(pod))
	case "Running":
		s.State = Running
		if c := waiting(pod); c.reason != "" {
			s.because(c)
			s.State = Restarting
		}
	case "Pending":
		s.pending(pod)
	case "":
		s.State = Submitted
	}
	return s
}

// pending tells a Pod that waits for a node from one that is being set up.
func (s *Status) pending(pod map[string]any) {
	if text(pod, "spec", "nodeName") == "" {
		s.State = Queued
		if c := conditions(pod)["PodScheduled"]; c.status == "False" {
			s.because(c)
		}
		return
	}
	s.State = Starting
	s.because(waiting(pod))
}

// because takes reason and message over where there are none yet.
func (s *Status) because(c condition) {
	if s.Reason == "" {
		s.Reason, s.Message = c.reason, c.message
	}
}

// waiting returns why a container waits, the last one first.
func waiting(pod map[string]any) condition {
	var why condition
	each(pod, func(c map[string]any) {
		if reason := text(c, "state", "waiting", "reason"); reason != "" {
			why = condition{reason: reason, message: text(c, "state", "waiting", "message")}
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
			why.message = "exit code " + strconv.FormatInt(code, 10)
		}
	}, "status", "containerStatuses")
	return why
}
