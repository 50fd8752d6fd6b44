package state

// ofJobSet follows the conditions of JobSet (API group jobset.x-k8s.io), and
// between them the counters of its jobs.
func ofJobSet(set map[string]any) Status {
	conds := conditions(set)
	if s, told := concluded(set, conds, "Completed"); told {
		return s
	}
	s := count(set, "status", "replicatedJobsStatus").status(begun(set, conds))
	if number(set, "status", "restarts") > 0 && s.State != Running {
		s = Status{State: Restarting, Reason: "Restarted"}
	}
	if c := conds["StartupPolicyInProgress"]; c.holds() && s.State != Restarting {
		return c.as(Starting)
	}
	return s
}
