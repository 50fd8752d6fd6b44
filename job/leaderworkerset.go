package job

// leaderWorkerSetKinds are the types of LeaderWorkerSet.
// StatefulSets control its pods, which have its label (kubernetes-sigs/lws pkg/controllers/
// leaderworkerset_controller.go:423).
var leaderWorkerSetKinds = []Kind{{
	Group: "leaderworkerset.x-k8s.io", Name: "LeaderWorkerSet", Resource: "leaderworkersets", Indirect: true, PodLabel: "leaderworkerset.sigs.k8s.io/name",
	Status: statusOfLeaderWorkerSet, podSets: podSetsOfLeaderWorkerSet,
}}

// statusOfLeaderWorkerSet follows LeaderWorkerSet (API group leaderworkerset.x-k8s.io), which
// does not end: it runs when all its groups are ready.
func statusOfLeaderWorkerSet(set Object) Status {
	conds := conditions(set)
	want := max(1, set.Integer("status", "replicas"))
	if set.At("spec", "replicas") != nil {
		want = set.Integer("spec", "replicas")
	}
	switch {
	case len(conds) == 0:
		return Status{State: Submitted, At: set.created()}
	case set.Integer("status", "readyReplicas") >= want && !conds["UpdateInProgress"].holds():
		return conds["Available"].as(Running)
	}
	s := conds["Progressing"].as(Starting)
	s.At = conds["Progressing"].trueSince()
	return s
}

// podSetsOfLeaderWorkerSet returns the leaders and the workers of all groups. The template of
// the workers is also that of the leaders, unless they have their own.
func podSetsOfLeaderWorkerSet(o Object) []podSet {
	groups, template := o.Count(1, "spec", "replicas"), o.Map("spec", "leaderWorkerTemplate")
	workers := template.Map("workerTemplate", "spec")
	leader := template.Map("leaderTemplate", "spec")
	if leader == nil {
		leader = workers
	}
	return []podSet{podsOf(groups, leader), podsOf(product(groups, max(0, template.Count(1, "size")-1)), workers)}
}
