package state

import "time"

// ofKubeflowJob follows the conditions of the jobs of Kubeflow's training operator
// (API group kubeflow.org), such as PyTorchJob.
func ofKubeflowJob(job map[string]any) Status {
	s := ofConditions(job)
	switch s.State {
	case "":
		s.State, s.At = Submitted, created(job)
	case Suspended:
		s.State = onHold(job)
	}
	return s
}

// ofTrainJob follows the conditions of Kubeflow Trainer's TrainJob (API group
// trainer.kubeflow.org), and between them the counters of the jobs it has made.
func ofTrainJob(job map[string]any) Status {
	conds := conditions(job)
	if s, told := concluded(job, conds, "Complete"); told {
		return s
	}
	return count(job, "status", "jobsStatus").status(begun(job, conds))
}

// counters are the counters of the jobs that an object consists of.
type counters struct{ ready, succeeded, failed, active int64 }

// count adds up the counters of an array.
func count(object map[string]any, path ...string) (n counters) {
	each(object, func(job map[string]any) {
		n.ready += number(job, "ready")
		n.succeeded += number(job, "succeeded")
		n.failed += number(job, "failed")
		n.active += number(job, "active")
	}, path...)
	return n
}

// status returns the status that the counters show. Counters have no times; begun is the
// time of the state while all counters are 0.
func (n counters) status(begun time.Time) Status {
	switch {
	case n.ready > 0 || n.succeeded > 0:
		return Status{State: Running}
	case n.failed > 0:
		return Status{State: Restarting}
	case n.active > 0:
		return Status{State: Starting}
	}
	return Status{State: Submitted, At: begun}
}
