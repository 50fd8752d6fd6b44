package job

// kueueKinds are the types of Kueue. A Workload is the request of a job for quota.
var kueueKinds = []Kind{{Group: "kueue.x-k8s.io", Name: "Workload", Resource: "workloads", Status: statusOfWorkload, podSets: podSetsOfWorkload}}

// statusOfWorkload follows the conditions of Kueue's Workload (API group
// kueue.x-k8s.io): quota is reserved, it is admitted, its pods are ready, it is
// evicted and waits again.
func statusOfWorkload(workload Object) Status {
	conds := conditions(workload)
	if c := conds["Finished"]; c.holds() {
		switch c.reason {
		case "Failed", "AdmissionChecksRejected", "OutOfSync":
			return c.as(Failed)
		}
		return c.as(Succeeded) // older versions only record that it has ended
	}
	if active, set := workload.At("spec", "active").(bool); set && !active {
		s := conds["Evicted"].as(Suspended)
		s.Raw, s.At = "Deactivated", conds["Evicted"].trueSince()
		return s
	}
	if c := conds["Evicted"]; c.holds() {
		return c.as(Queued)
	}
	if c := conds["Admitted"]; c.holds() {
		if ready, told := conds["PodsReady"]; told {
			if ready.holds() {
				return ready.as(Running)
			}
			s := ready.as(Starting)
			s.Raw = c.kind
			s.At = laterOf(s.At, parseTime(c.since)) // the condition may be false since an eviction
			return s
		}
		return c.as(Running) // no condition shows whether its pods are ready
	}
	switch c, told := conds["QuotaReserved"]; {
	case c.holds():
		return c.as(Queued) // its admission checks are not complete
	case told:
		return Status{State: Queued, Reason: c.reason, Message: c.message, At: parseTime(c.since)}
	}
	return Status{State: Submitted, At: workload.created()}
}

func podSetsOfWorkload(o Object) []podSet {
	return podSetsOf(o.List("spec", "podSets"), func(set Object) podSet { return podsOf(set.Count(1, "count"), set.Map("template", "spec")) })
}
