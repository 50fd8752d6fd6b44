package job

import "time"

// statusOfDeployment follows the rollout of a Deployment, which does not end. The state is
// Starting until the rollout is complete; Raw shows a rollout that makes no progress.
func statusOfDeployment(deployment Object) Status {
	conds := conditions(deployment)
	want, told := int64(1), deployment.At("spec", "replicas")
	if told != nil {
		want = deployment.Integer("spec", "replicas")
	}
	paused, _ := deployment.At("spec", "paused").(bool)
	progress := conds["Progressing"]
	switch {
	case len(conds) == 0:
		return Status{State: Submitted, At: deployment.created()}
	case deployment.Integer("status", "observedGeneration") < deployment.Integer("metadata", "generation"):
		return Status{State: Submitted} // no field has the time of the change
	case progress.status == "False":
		s := progress.as(Starting)
		s.Raw = "Stalled"
		return s
	case conds["ReplicaFailure"].holds():
		return conds["ReplicaFailure"].as(Starting)
	case deployment.Integer("status", "updatedReplicas") >= want && deployment.Integer("status", "availableReplicas") >= want &&
		deployment.Integer("status", "replicas") <= want:
		s := conds["Available"].as(Running)
		s.At = laterOf(s.At, rolledOutAt(progress))
		return s
	case paused:
		return progress.as(Suspended)
	}
	s := progress.as(Starting)
	if s.At = parseTime(progress.updated); progress.reason == rolledOut { // it was complete, and lacks pods again
		s.At = time.Time{}
	}
	return s
}

// rolledOut is the reason of Progressing when the rollout is complete.
const rolledOut = "NewReplicaSetAvailable"

// rolledOutAt is the time at which a rollout was complete. Progressing stays true from one rollout
// to the next, so the time of its transition is that of the first rollout.
func rolledOutAt(progress condition) time.Time {
	if progress.reason != rolledOut {
		return time.Time{}
	}
	return parseTime(progress.updated)
}
