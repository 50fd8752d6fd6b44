package job

import "strings"

// rayKinds are the types of KubeRay.
var rayKinds = []Kind{
	{
		Group: "ray.io", Name: "RayJob", Resource: "rayjobs", Job: true, Indirect: true, Suspend: suspend("spec"), Manager: "ray.io/kuberay-operator",
		PodLabel: rayClusterLabel, PodLabelValue: []string{"status", "rayClusterName"},
		Status: statusOfRayJob, podSets: podSetsOfRayJob, requests: readRayJob, suspendable: ownsCluster, ofOthers: [][]string{{"spec", "jobId"}}, // of the cluster
	},
	{
		Group: "ray.io", Name: "RayCluster", Resource: "rayclusters", Suspend: suspend("spec"), Manager: "ray.io/kuberay-operator", PodLabel: rayClusterLabel,
		Status: statusOfRayCluster, podSets: podSetsOfRayCluster,
	},
}

const rayClusterLabel = "ray.io/cluster"

// rayDeployments are the states of RayJob's deployment status, where it alone determines
// the state.
var rayDeployments = map[string]State{
	"":                 Submitted,
	"Initializing":     Starting,
	"Waiting":          Queued, // for a user to submit it
	"Scheduling":       Queued,
	"Scheduled":        Queued,
	"Retrying":         Restarting,
	"Failed":           Failed,
	"ValidationFailed": Failed,
}

// rayJobs are the states of the job's status in Ray.
var rayJobs = map[string]State{
	"":          Starting,
	"PENDING":   Starting,
	"RUNNING":   Running,
	"SUCCEEDED": Succeeded,
	"FAILED":    Failed,
	"STOPPED":   Aborted,
}

// statusOfRayJob follows KubeRay's RayJob (API group ray.io): its deployment status, and while
// the deployment runs or is complete, its job status.
func statusOfRayJob(job Object) Status {
	deployment, inner := job.Text("status", "jobDeploymentStatus"), job.Text("status", "jobStatus")
	s := Status{Raw: deployment, Reason: job.Text("status", "reason"), Message: job.Text("status", "message")}
	switch deployment {
	case "":
		s.At = job.created()
	case "Initializing":
		s.At = job.Moment("status", "startTime")
		cluster := job.At("status", "rayClusterStatus")
		if head := conditionOf(Object{"status": cluster}, "HeadPodReady"); head.status == "False" && head.reason != "Unknown" {
			s.because(head)
		}
	case "Complete", "Failed":
		s.At = job.Moment("status", "endTime")
	}
	switch deployment {
	case "Running", "Complete":
		s.State = rayJobs[inner]
		if inner != "" {
			s.Raw = inner
		}
		switch {
		case deployment == "Complete" && inner == "":
			s.State = Succeeded
		case deployment == "Running" && s.State.Final():
			s.State = Running // until it ends: it may be retried
		}
	case "Suspending", "Suspended":
		s.State = onHold(job)
	default:
		s.State = rayDeployments[deployment]
	}
	return s
}

// statusOfRayCluster follows KubeRay's RayCluster (API group ray.io), which does not end: its
// state, and the condition of its head pod. Once a cluster was ready, its state stays ready.
func statusOfRayCluster(cluster Object) Status {
	word, conds := cluster.Text("status", "state"), conditions(cluster)
	for _, kind := range []string{"RayClusterSuspending", "RayClusterSuspended"} {
		if c := conds[kind]; c.holds() {
			return c.as(onHold(cluster))
		}
	}
	s := Status{Raw: word, Reason: cluster.Text("status", "reason"), At: cluster.Moment("status", "stateTransitionTimes", word)}
	head, failure := conds["HeadPodReady"], conds["ReplicaFailure"]
	switch {
	case word == "suspended":
		s.State = onHold(cluster)
	case word == "ready" && head.status == "False":
		return head.as(Restarting)
	case word == "ready":
		s.State = Running
	case failure.holds():
		return failure.as(Starting)
	case cluster.At("status") == nil:
		s.State, s.At = Submitted, cluster.created()
	default:
		s.State = Starting
		s.because(head)
	}
	return s
}

func podSetsOfRayJob(o Object) []podSet { return podSetsOfRay(o.Map("spec", "rayClusterSpec")) }

func podSetsOfRayCluster(o Object) []podSet { return podSetsOfRay(o.Map("spec")) }

// podSetsOfRay returns the head and the workers of a cluster.
func podSetsOfRay(spec Object) []podSet {
	if spec == nil {
		return nil
	}
	return append([]podSet{podsOf(1, spec.Map("headGroupSpec", "template", "spec"))}, podSetsOf(spec.List("workerGroupSpecs"), func(group Object) podSet {
		pods := product(group.Count(group.Count(0, "minReplicas"), "replicas"), group.Count(1, "numOfHosts"))
		return podsOf(pods, group.Map("template", "spec"))
	})...)
}

// readRayJob reads the program and the attempts of a RayJob.
func readRayJob(s *Spec) {
	o := s.object
	s.Command = strings.Fields(o.Text("spec", "entrypoint"))
	s.count(o.Count(0, "spec", "backoffLimit")+1, o.Count(0, "status", "failed"))
	s.counted = true
}

// ownsCluster reports whether a RayJob has a cluster of its own that ends with it. KubeRay
// refuses the suspension of other jobs.
func ownsCluster(o Object) bool {
	shutdown, _ := o.At("spec", "shutdownAfterJobFinishes").(bool)
	return shutdown && len(o.Map("spec", "clusterSelector")) == 0
}
