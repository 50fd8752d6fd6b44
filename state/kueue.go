package state

// ofWorkload follows the conditions of Kueue's Workload (API group
// kueue.x-k8s.io): quota is reserved, it is admitted, its pods are ready, it is
// evicted and waits again.
func ofWorkload(workload map[string]any) Status {
	conds := conditions(workload)
	if c := conds["Finished"]; c.holds() {
		switch c.reason {
		case "Failed", "AdmissionChecksRejected", "OutOfSync":
			return c.as(Failed)
		}
		return c.as(Succeeded) // older versions say only that it has ended
	}
	if active, set := field(workload, "spec", "active").(bool); set && !active {
		s := conds["Evicted"].as(Suspended)
		s.Raw = "Deactivated"
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
			return s
		}
		return c.as(Running) // nobody tells whether its pods are ready
	}
	switch c, told := conds["QuotaReserved"]; {
	case c.holds():
		return c.as(Queued) // checks are missing
	case told:
		return Status{State: Queued, Reason: c.reason, Message: c.message}
	}
	return Status{State: Submitted}
}
