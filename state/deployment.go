package state

import "time"

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
	case len(conds) == 0:
		return Status{State: Submitted, At: created(deployment)}
	case number(deployment, "status", "observedGeneration") < number(deployment, "metadata", "generation"):
		return Status{State: Submitted} // nobody notes when it was changed
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
	if s.At = parse(progress.updated); progress.reason == rolledOut { // it was, and lacks some again
		s.At = time.Time{}
	}
	return s
}

// rolledOut is the reason of Progressing once everything is as it was asked for.
const rolledOut = "NewReplicaSetAvailable"

// done is when a roll-out was. Progressing stays true from one to the next, so that
// the time of its transition is that of the first.
func done(progress condition) time.Time {
	if progress.reason != rolledOut {
		return time.Time{}
	}
	return parse(progress.updated)
}
