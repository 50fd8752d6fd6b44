package job

// katibKinds are the types of Katib. Its pods have the labels of their trial and its name
// (kubeflow/katib v0.19.0 pkg/webhook/v1beta1/pod/utils.go:275-280).
var katibKinds = []Kind{
	{
		Group: "kubeflow.org", Name: "Experiment", Resource: "experiments", Job: true, Indirect: true, PodLabel: "katib.kubeflow.org/experiment",
		Status: statusOfExperiment, nested: trialsOf,
	},
	{
		Group: "kubeflow.org", Name: "Trial", Resource: "trials", Job: true, Indirect: true, PodLabel: "katib.kubeflow.org/trial",
		Status: statusOfTrial, nested: func(o Object) []nested { return []nested{{1, o.Map("spec", "runSpec")}} },
	},
}

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

// statusOfExperiment follows the conditions of Katib's Experiment (API group kubeflow.org).
// Restarting stays true when an experiment runs again (kubeflow/katib v0.19.0
// pkg/apis/controller/experiments/v1beta1/util.go:134-143).
func statusOfExperiment(experiment Object) Status {
	s := statusOfConditions(experiment)
	running := conditionOf(experiment, "Running")
	switch {
	case s.State == "":
		s.State, s.At = Submitted, experiment.created()
	case s.State == Restarting && running.holds():
		return running.as(Running)
	}
	return s
}

// trialsOf returns the trials that run concurrently: 3 by default (kubeflow/katib v0.19.0
// pkg/apis/controller/experiments/v1beta1/constants.go).
func trialsOf(o Object) []nested {
	return []nested{{o.Count(3, "spec", "parallelTrialCount"), o.Map("spec", "trialTemplate", "trialSpec")}}
}
