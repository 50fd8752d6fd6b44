package jobspec

import (
	"slices"
	"strings"
)

// types are the types of jobs, with the kinds of their objects. A type precedes the types
// of the objects that its operator creates.
var types = []struct{ name, kind string }{
	{"trainjobs.trainer.kubeflow.org", "TrainJob"},
	{"pytorchjobs.kubeflow.org", "PyTorchJob"},
	{"tfjobs.kubeflow.org", "TFJob"},
	{"mpijobs.kubeflow.org", "MPIJob"},
	{"jaxjobs.kubeflow.org", "JAXJob"},
	{"paddlejobs.kubeflow.org", "PaddleJob"},
	{"xgboostjobs.kubeflow.org", "XGBoostJob"},
	{"rayjobs.ray.io", "RayJob"},
	{"workflows.argoproj.io", "Workflow"},
	{"jobs.batch.volcano.sh", "Job"},
	{"jobsets.jobset.x-k8s.io", "JobSet"},
	{"jobs.batch", "Job"},
}

// Types returns the types of jobs, such as "pytorchjobs.kubeflow.org". Types whose
// operators create objects of other types come first.
func Types() (names []string) {
	for _, t := range types {
		names = append(names, t.name)
	}
	return names
}

// Parents returns the kinds of controllers whose objects are parts of a job, not jobs
// themselves.
func Parents() (kinds []string) {
	for _, t := range types {
		kinds = append(kinds, t.kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// SplitType splits "jobs.batch" into the resource and the group.
func SplitType(name string) (resource, group string) {
	resource, group, _ = strings.Cut(name, ".")
	return resource, group
}
