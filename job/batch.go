package job

// batchKinds are the types of the API group batch.
var batchKinds = []Kind{{
	Group: "batch", Name: "Job", Resource: "jobs", Job: true, Suspend: suspend("spec"), Manager: "kubernetes.io/job-controller",
	Status: statusOfJob, podSets: podSetsOfBatchJob, requests: readBatchJob, forget: forgetBatchJob,
}}

// onHold returns the state of a suspended job. A job that Kueue admits waits for its quota,
// unless its submitter holds it; any other job was suspended by a user.
func onHold(job Object) State {
	if labels := job.Map("metadata", "labels"); labels[KueueQueueLabel] != nil && labels[HeldLabel] == nil {
		return Queued
	}
	return Suspended
}

// concludedBy returns the status that the conditions of a job show if it has ended or is
// suspended; else false. success is the condition of a successful job.
func concludedBy(job Object, conds map[string]condition, success string) (Status, bool) {
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

// statusOfJob follows the conditions and counters of a batch/v1 Job. The counters of ended pods are
// sums over the life of the job. From its first succeeded pod on, a job is Running between
// its pods: status.failed may then count a failure of long ago.
func statusOfJob(job Object) Status {
	conds := conditions(job)
	if s, told := concludedBy(job, conds, "Complete"); told {
		if s.State == Succeeded && s.At.IsZero() {
			s.At = job.Moment("status", "completionTime")
		}
		return s
	}
	s := Status{}
	for _, ending := range []string{"FailureTarget", "SuccessCriteriaMet"} {
		if c := conds[ending]; c.holds() {
			s = c.as("")
		}
	}
	switch failed := endedPods(job, "failed"); {
	case job.Integer("status", "ready") > 0 || s.Raw != "" || endedPods(job, "succeeded") > 0 || retriesExhausted(job, failed):
		s.State = Running // until it ends: its pods may end before the job
	case failed > 0:
		s.State, s.Reason = Restarting, "PodFailed"
	case job.Text("status", "startTime") != "":
		s.State, s.At = Starting, job.Moment("status", "startTime")
	default:
		s.State, s.At = Submitted, waitsSince(job, conds)
	}
	return s
}

// endedPods returns the number of pods of a Job that succeeded or failed. The Job controller
// first writes an ended pod to uncountedTerminatedPods, and counts it with a second write.
func endedPods(job Object, how string) int64 {
	uncounted, _ := job.At("status", "uncountedTerminatedPods", how).([]any)
	return int64(job.Count(0, "status", how)) + int64(len(uncounted))
}

// retriesExhausted reports whether a Job with this number of failed pods is not retried. Before
// Kubernetes 1.31, no condition shows this until the Job has failed.
func retriesExhausted(job Object, failed int64) bool {
	return failed > 0 && job.At("spec", "backoffLimit") != nil && failed > job.Integer("spec", "backoffLimit")
}

func podSetsOfBatchJob(o Object) []podSet { return []podSet{podSetOfJob(o.Map("spec"), 1)} }

// podSetOfJob returns the pods of some equal Jobs.
func podSetOfJob(spec Object, replicas int) podSet {
	pods := spec.Count(1, "parallelism")
	if completions, ok := spec.Number("completions"); ok && completions > 0 {
		pods = min(pods, completions)
	}
	return podsOf(product(pods, replicas), spec.Map("template", "spec"))
}

// readBatchJob reads the attempts of a Job. Parallel and indexed Jobs count pods, not attempts.
func readBatchJob(s *Spec) {
	o := s.object
	if o.Count(1, "spec", "parallelism") > 1 || o.At("spec", "backoffLimitPerIndex") != nil {
		return
	}
	s.count(o.Count(6, "spec", "backoffLimit")+1, int(endedPods(o, "failed")))
	s.counted = true
}

// forgetBatchJob removes the selector that the server has made.
func forgetBatchJob(o Object) {
	if manual, _ := o.At("spec", "manualSelector").(bool); !manual {
		o.remove("spec", "selector")
	}
}
