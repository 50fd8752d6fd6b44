package state

// ofJobSet follows the conditions of JobSet (API group jobset.x-k8s.io), and
// between them the counters of its jobs.
func ofJobSet(set map[string]any) Status {
	conds := conditions(set)
	for _, end := range []struct {
		kind  string
		state State
	}{{"Failed", Failed}, {"Completed", Succeeded}} {
		if c := conds[end.kind]; c.holds() {
			return c.as(end.state)
		}
	}
	if c := conds["Suspended"]; c.holds() {
		return c.as(onHold(set))
	}
	s := Status{State: count(set, "status", "replicatedJobsStatus").state()}
	if number(set, "status", "restarts") > 0 && s.State != Running {
		s.State, s.Reason = Restarting, "Restarted"
	}
	if c := conds["StartupPolicyInProgress"]; c.holds() && s.State != Restarting {
		return c.as(Starting)
	}
	return s
}
