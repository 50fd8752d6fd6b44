package job

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// kubeflowKinds are the jobs of Kubeflow Trainer and of the training operator. An
// OptimizationJob, whose spec cannot be changed, creates TrainJobs (kubeflow/trainer
// pkg/apis/trainer/v1alpha1/optimizationjob_types.go:67, by its documentation).
var kubeflowKinds = append([]Kind{{
	Group: "trainer.kubeflow.org", Name: "OptimizationJob", Resource: "optimizationjobs", Job: true, Indirect: true,
	Status: statusOfKubeflowJob, nested: trainJobsOf,
}, {
	Group: "trainer.kubeflow.org", Name: "TrainJob", Resource: "trainjobs", Job: true, Indirect: true,
	Suspend: suspend("spec"), Manager: "trainer.kubeflow.org/trainjob-controller", PodLabel: jobSetLabel,
	Status: statusOfTrainJob, podSets: podSetsOfTrainJob, requests: readTrainer,
}},
	trainingKind("PyTorchJob", "pytorchjobs"), trainingKind("TFJob", "tfjobs"), mpiKind(), trainingKind("JAXJob", "jaxjobs"),
	trainingKind("PaddleJob", "paddlejobs"), trainingKind("XGBoostJob", "xgboostjobs"),
)

// trainingKind returns a kind of the training operator.
func trainingKind(name, resource string) Kind {
	return Kind{
		Group: "kubeflow.org", Name: name, Resource: resource, Job: true, Suspend: suspend("spec", "runPolicy"), Manager: "kubeflow.org/training-operator",
		PodLabel: "training.kubeflow.org/job-name", Status: statusOfKubeflowJob, requests: readRunPolicy,
	}
}

// mpiKind returns the MPIJob, which has an operator of its own. A Job controls its launcher.
func mpiKind() Kind {
	k := trainingKind("MPIJob", "mpijobs")
	k.Manager, k.Indirect = "kubeflow.org/mpi-operator", true
	return k
}

// statusOfKubeflowJob follows the conditions of the jobs of Kubeflow's training operator
// (API group kubeflow.org), such as PyTorchJob, and of OptimizationJob.
func statusOfKubeflowJob(job Object) Status {
	s := statusOfConditions(job)
	switch s.State {
	case "":
		s.State, s.At = Submitted, job.created()
	case Suspended:
		s.State = onHold(job)
	}
	return s
}

// statusOfTrainJob follows the conditions of Kubeflow Trainer's TrainJob (API group
// trainer.kubeflow.org), and between them the counters of the jobs it has made.
func statusOfTrainJob(job Object) Status {
	conds := conditions(job)
	if s, told := concludedBy(job, conds, "Complete"); told {
		return s
	}
	return statusOfParts(job, waitsSince(job, conds), "status", "jobsStatus")
}

// trainJobsOf returns the TrainJobs that an OptimizationJob runs concurrently.
func trainJobsOf(o Object) []nested {
	spec := map[string]any(o.Map("spec", "trainJobTemplate", "spec"))
	return []nested{{o.Count(1, "spec", "parallelTrials"), Object{"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "spec": spec}}}
}

// podSetsOfTrainJob returns the nodes of a TrainJob. It does not contain its pods.
func podSetsOfTrainJob(o Object) []podSet {
	trainer := o.Map("spec", "trainer")
	return []podSet{{count: trainer.Count(1, "numNodes"), holds: readResources(trainer.Map("resourcesPerNode"))}}
}

// readTrainer reads the program of a TrainJob.
func readTrainer(s *Spec) {
	trainer := s.object.Map("spec", "trainer")
	s.Image, s.Command = trainer.Text("image"), append(trainer.Texts("command"), trainer.Texts("args")...)
}

// readRunPolicy reads the maximum number of attempts of a job of the training operator.
func readRunPolicy(s *Spec) {
	if n, ok := s.object.Number("spec", "runPolicy", "backoffLimit"); ok && n >= 0 {
		s.Attempts = n + 1
	}
}

// leadingRoles are the roles of Kubeflow's jobs whose container runs the main program.
var leadingRoles = []string{"Master", "Chief", "Launcher"}

// podSetsOfReplicas returns the pods of Kubeflow's jobs.
func podSetsOfReplicas(spec Object) (sets []podSet) {
	for name := range spec {
		if !strings.HasSuffix(name, "ReplicaSpecs") {
			continue
		}
		roles := slices.SortedFunc(maps.Keys(spec.Map(name)), func(x, y string) int {
			leads := func(role string) int { return slices.Index(leadingRoles, role) }
			return cmp.Or(-cmp.Compare(leads(x), leads(y)), cmp.Compare(x, y))
		})
		for _, role := range roles {
			replica := spec.Map(name, role)
			sets = append(sets, podsOf(replica.Count(1, "replicas"), replica.Map("template", "spec")))
		}
	}
	return sets
}
