package state

import "github.com/vedette-io/vedette/jobmeta"

// queueLabel is the label of jobs that Kueue admits. Kueue keeps them suspended while they
// wait for quota.
const queueLabel = "kueue.x-k8s.io/queue-name"

// onHold returns the state of a suspended job. A job that Kueue admits waits for its quota,
// unless its submitter holds it; any other job was suspended by a user.
func onHold(job map[string]any) State {
	if labels, _ := field(job, "metadata", "labels").(map[string]any); labels[queueLabel] != nil && labels[jobmeta.Held] == nil {
		return Queued
	}
	return Suspended
}

// concluded returns the status that the conditions of a job show if it has ended or is
// suspended; else false. success is the condition of a successful job.
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
		s.State = Running // until it ends: its pods may end before the job
	case failed:
		s.State, s.Reason = Restarting, "PodFailed"
	case text(job, "status", "startTime") != "":
		s.State, s.At = Starting, moment(job, "status", "startTime")
	default:
		s.State, s.At = Submitted, begun(job, conds)
	}
	return s
}
