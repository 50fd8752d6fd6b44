package state

import "time"

// ofDeployment follows the rollout of a Deployment, which does not end. The state is
// Starting until the rollout is complete; Raw shows a rollout that makes no progress.
func ofDeployment(deployment map[string]any) Status {
	conds := conditions(deployment)
	want, told := int64(1), field(deployment, "spec", "replicas")
	if told != nil {
		want = number(deployment, "spec", "replicas")
	}
	paused, _ := field(deployment, "spec", "paused").(bool)
	progress := conds["Progressing"]
	switch {
	case len(conds) == 0:
		return Status{State: Submitted, At: created(deployment)}
	case number(deployment, "status", "observedGeneration") < number(deployment, "metadata", "generation"):
		return Status{State: Submitted} // no field has the time of the change
	case progress.status == "False":
		s := progress.as(Starting)
		s.Raw = "Stalled"
		return s
	case conds["ReplicaFailure"].holds():
		return conds["ReplicaFailure"].as(Starting)
	case number(deployment, "status", "updatedReplicas") >= want && number(deployment, "status", "availableReplicas") >= want &&
		number(deployment, "status", "replicas") <= want:
		s := conds["Available"].as(Running)
		s.At = later(s.At, done(progress))
		return s
	case paused:
		return progress.as(Suspended)
	}
	s := progress.as(Starting)
	if s.At = parse(progress.updated); progress.reason == rolledOut { // it was complete, and lacks pods again
		s.At = time.Time{}
	}
	return s
}

// rolledOut is the reason of Progressing when the rollout is complete.
const rolledOut = "NewReplicaSetAvailable"

// done is the time at which a rollout was complete. Progressing stays true from one rollout
// to the next, so the time of its transition is that of the first rollout.
func done(progress condition) time.Time {
	if progress.reason != rolledOut {
		return time.Time{}
	}
	return parse(progress.updated)
}
