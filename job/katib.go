package job

// katibKinds are the types of Katib.
var katibKinds = []Kind{{Group: "kubeflow.org", Name: "Trial", Resource: "trials", status: statusOfTrial}}

// trialConditions are the final conditions of Katib's Trial, and their states. A trial that its
// algorithm stopped early has given its result.
var trialConditions = []struct {
	word  string
	state State
}{
	{"Failed", Failed},
	{"Killed", Aborted},
	{"MetricsUnavailable", Failed},
	{"EarlyStopped", Succeeded},
}

// statusOfTrial follows the conditions of Katib's Trial (API group kubeflow.org).
func statusOfTrial(trial Object) Status {
	conds := conditions(trial)
	for _, known := range trialConditions {
		if c := conds[known.word]; c.holds() {
			return c.as(known.state)
		}
	}
	s := statusOfConditions(trial)
	if s.State == "" {
		s.State, s.At = Submitted, trial.created()
	}
	return s
}
