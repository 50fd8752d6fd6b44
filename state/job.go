package state

import "github.com/vedette-io/vedette/jobmeta"

// queueLabel is on jobs that Kueue admits: it keeps them suspended while they
// wait for quota.
const queueLabel = "kueue.x-k8s.io/queue-name"

// onHold is what a job is that is suspended: one that Kueue admits waits for its
// quota unless its submitter holds it, any other was put on hold by somebody.
func onHold(job map[string]any) State {
	if labels, _ := field(job, "metadata", "labels").(map[string]any); labels[queueLabel] != nil && labels[jobmeta.Held] == nil {
		return Queued
	}
	return Suspended
}

// concluded is what the conditions of a job say of its end, or of its being
// suspended; false if they say neither. success names the one of a good end.
func concluded(job map[string]any, conds map[string]condition, success string) (Status, bool) {
	switch failed, succeeded, suspended := conds["Failed"], conds[success], conds["Suspended"]; {
	case failed.holds():
		return failed.as(Failed), true
	case succeeded.holds():
		return succeeded.as(Succeeded), true
	case suspended.holds():
		return suspended.as(onHold(job)), true
	}
	return Status{}, false
}

// ofJob follows the conditions and counters of a batch/v1 Job.
func ofJob(job map[string]any) Status {
	conds := conditions(job)
	if s, told := concluded(job, conds, "Complete"); told {
		if s.State == Succeeded && s.At.IsZero() {
			s.At = moment(job, "status", "completionTime")
		}
		return s
	}
	s := Status{}
	for _, ending := range []string{"FailureTarget", "SuccessCriteriaMet"} {
		if c := conds[ending]; c.holds() {
			s = c.as("")
		}
	}
	failed := number(job, "status", "failed") > 0
	switch {
	case number(job, "status", "ready") > 0 || s.Raw != "", number(job, "status", "active") == 0 && number(job, "status", "succeeded") > 0:
		s.State = Running // to its end: its pods may be done before it is
	case failed:
		s.State, s.Reason = Restarting, "PodFailed"
	case text(job, "status", "startTime") != "":
		s.State, s.At = Starting, moment(job, "status", "startTime")
	default:
		s.State, s.At = Submitted, begun(job, conds)
	}
	return s
}
