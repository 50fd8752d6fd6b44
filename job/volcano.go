package job

// volcanoKinds are the types of Volcano. A Command object stops a job.
var volcanoKinds = []Kind{{
	Group: "batch.volcano.sh", Name: "Job", Resource: "jobs", Job: true, Command: true, PodLabel: "volcano.sh/job-name",
	Status: statusOfVolcanoJob, podSets: podSetsOfVolcanoJob, requests: readVolcanoJob,
}}

// volcanoPhases are the phases of Volcano's Job. An aborted job may be resumed.
var volcanoPhases = map[string]State{
	"":            Submitted,
	"Pending":     Queued,
	"Running":     Running,
	"Completing":  Running, // until it ends: pods are being removed
	"Restarting":  Restarting,
	"Completed":   Succeeded,
	"Failed":      Failed,
	"Aborting":    Aborted,
	"Aborted":     Aborted,
	"Terminating": Failed, // by a policy for errors; a user's command aborts
	"Terminated":  Failed,
}

// statusOfVolcanoJob follows the phase of Volcano's Job (API group batch.volcano.sh).
func statusOfVolcanoJob(job Object) Status {
	phase := job.Text("status", "state", "phase")
	at := job.Moment("status", "state", "lastTransitionTime")
	if phase == "" {
		at = job.created()
	}
	return Status{
		State: volcanoPhases[phase], Raw: phase, At: at,
		Reason: job.Text("status", "state", "reason"), Message: job.Text("status", "state", "message"),
	}
}

func podSetsOfVolcanoJob(o Object) []podSet {
	return podSetsOf(o.List("spec", "tasks"), func(task Object) podSet { return podsOf(task.Count(1, "replicas"), task.Map("template", "spec")) })
}

// readVolcanoJob reads the queue and the attempts of a job. Its limit counts attempts.
func readVolcanoJob(s *Spec) {
	o := s.object
	if s.Queue == "" {
		s.Queue = o.Text("spec", "queue")
	}
	s.count(o.Count(3, "spec", "maxRetry"), o.Count(0, "status", "retryCount"))
	s.counted = true
}
