package job

// leaderWorkerSetKinds are the types of LeaderWorkerSet.
var leaderWorkerSetKinds = []Kind{{Group: "leaderworkerset.x-k8s.io", Name: "LeaderWorkerSet", Resource: "leaderworkersets", status: statusOfLeaderWorkerSet}}

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
