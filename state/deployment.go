package state

// ofDeployment follows the roll-out of a Deployment, which does not end: while it
// is not what was asked for it starts, and one that gets nowhere says so in Raw.
func ofDeployment(deployment map[string]any) Status {
	conds := conditions(deployment)
	want, told := int64(1), field(deployment, "spec", "replicas")
	if told != nil {
		want = number(deployment, "spec", "replicas")
	}
	paused, _ := field(deployment, "spec", "paused").(bool)
	progress := conds["Progressing"]
	switch {
	case number(deployment, "status", "observedGeneration") < number(deployment, "metadata", "generation") || len(conds) == 0:
		return Status{State: Submitted}
	case progress.status == "False":
		s := progress.as(Starting)
		s.Raw = "Stalled"
		return s
	case conds["ReplicaFailure"].holds():
		return conds["ReplicaFailure"].as(Starting)
	case number(deployment, "status", "updatedReplicas") >= want && number(deployment, "status", "availableReplicas") >= want &&
		number(deployment, "status", "replicas") <= want:
		return conds["Available"].as(Running)
	case paused:
		return progress.as(Suspended)
	}
	return progress.as(Starting)
}
