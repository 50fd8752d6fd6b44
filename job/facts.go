package job

import "time"

// Facts are the facts about a job that its own object states. A recorder decides them when it
// sees a revision, and stores them beside the state of the job, so that readers need no body.
// Facts are comparable.
type Facts struct {
	// GPUs, Pods and Priority are those of Spec.
	GPUs, Pods int
	Priority   string
	// Attempt is the number of the attempt that the object counts, and Attempts the maximum
	// number; 0 if it counts none.
	Attempt, Attempts int
	// Limit is that of Spec.
	Limit time.Duration
	// PodLabel and PodLabelValue are the label of the pods of the job if other objects control
	// them; empty otherwise.
	PodLabel, PodLabelValue string
}

// Facts returns the facts of a job in a state.
func (s Spec) Facts(in State) Facts {
	f := Facts{GPUs: s.GPUs, Pods: s.Pods, Priority: s.Priority, Attempt: s.AttemptOf(in == Failed), Attempts: s.Attempts, Limit: s.Limit}
	for name, value := range s.PodLabels { // a kind has one label at most
		f.PodLabel, f.PodLabelValue = name, value
	}
	return f
}
