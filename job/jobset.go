package job

import (
	"slices"
	"time"
)

// jobSetKinds are the types of JobSet.
var jobSetKinds = []Kind{{
	Group: "jobset.x-k8s.io", Name: "JobSet", Resource: "jobsets", Job: true, Indirect: true,
	Suspend: suspend("spec"), Manager: "jobset.sigs.k8s.io/jobset-controller", PodLabel: jobSetLabel,
	Status: statusOfJobSet, podSets: podSetsOfJobSet, requests: readJobSet,
}}

// jobSetLabel is the label of pods with the name of their JobSet. The JobSet of a TrainJob has
// the name of the TrainJob.
const jobSetLabel = "jobset.sigs.k8s.io/jobset-name"

// statusOfJobSet follows the conditions of JobSet (API group jobset.x-k8s.io), and
// between them the counters of its jobs.
func statusOfJobSet(set Object) Status {
	conds := conditions(set)
	if s, told := concludedBy(set, conds, "Completed"); told {
		return s
	}
	restarting, told := conds["RestartingJobSet"]
	if restarting.holds() {
		return restarting.as(Restarting) // until all its jobs are ready
	}
	s := statusOfParts(set, waitsSince(set, conds), "status", "replicatedJobsStatus")
	if set.Integer("status", "restarts") > 0 && s.State != Running && !told { // an older version of JobSet
		s = Status{State: Restarting, Reason: "Restarted"}
	}
	if c := conds["StartupPolicyInProgress"]; c.holds() && s.State != Restarting {
		return c.as(Starting)
	}
	return s
}

// initializerNames are the jobs of a TrainJob that only prepare it (Kubeflow Trainer,
// pkg/constants). Its JobSet has the same names.
var initializerNames = []string{"dataset-initializer", "model-initializer"}

// parts are counters of the jobs that an object consists of.
type parts struct {
	ready, waiting, succeeded, failed bool
	prepared                          bool // an initializer has begun
}

// statusOfParts returns the status that the counters of an array of jobs show. Counters have no
// times; begun is the time of the state while all counters are 0.
func statusOfParts(object Object, begun time.Time, path ...string) Status {
	var p parts
	object.each(func(job Object) { p.add(job) }, path...)
	switch {
	case p.ready:
		return Status{State: Running}
	case p.failed:
		return Status{State: Restarting}
	case p.waiting:
		return Status{State: Starting}
	case p.succeeded:
		return Status{State: Running} // until it ends: its pods may end before it
	case p.prepared:
		return Status{State: Starting}
	}
	return Status{State: Submitted, At: begun}
}

// add reads the counters of one group of equal jobs.
func (p *parts) add(job Object) {
	has := func(counter string) bool { return job.Integer(counter) > 0 }
	p.failed = p.failed || has("failed")
	if slices.Contains(initializerNames, job.Text("name")) {
		p.prepared = p.prepared || has("ready") || has("succeeded") || has("active")
		return
	}
	p.ready = p.ready || has("ready")
	p.succeeded = p.succeeded || has("succeeded")
	p.waiting = p.waiting || has("active") && !has("ready") && !has("succeeded")
}

func podSetsOfJobSet(o Object) []podSet {
	return podSetsOf(o.List("spec", "replicatedJobs"), func(j Object) podSet { return podSetOfJob(j.Map("template", "spec"), j.Count(1, "replicas")) })
}

// readJobSet reads the attempts of a JobSet.
func readJobSet(s *Spec) {
	s.count(s.object.Count(0, "spec", "failurePolicy", "maxRestarts")+1, s.object.Count(0, "status", "restarts"))
}
