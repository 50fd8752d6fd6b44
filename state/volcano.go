package state

// volcanoPhases are the phases of Volcano's Job. An aborted job may be resumed.
var volcanoPhases = map[string]State{
	"":            Submitted,
	"Pending":     Queued,
	"Running":     Running,
	"Completing":  Running, // until it ends: pods are being removed
	"Restarting":  Restarting,
	"Completed":   Succeeded,
	"Failed":      Failed,
	"Aborting":    Aborted,
	"Aborted":     Aborted,
	"Terminating": Aborted,
	"Terminated":  Aborted,
}

// ofVolcanoJob follows the phase of Volcano's Job (API group batch.volcano.sh).
func ofVolcanoJob(job map[string]any) Status {
	phase := text(job, "status", "state", "phase")
	at := moment(job, "status", "state", "lastTransitionTime")
	if phase == "" {
		at = created(job)
	}
	return Status{
		State: volcanoPhases[phase], Raw: phase, At: at,
		Reason: text(job, "status", "state", "reason"), Message: text(job, "status", "state", "message"),
	}
}
