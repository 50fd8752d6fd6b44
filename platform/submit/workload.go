package submit

import (
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
)

// workloads are the types of jobs, in the order in which Find checks them.
var workloads = job.Types()

// Workloads returns the types of jobs, such as "pytorchjobs.kubeflow.org". Types whose
// operators create objects of other types come first.
func Workloads() []string { return slices.Clone(workloads) }

// served returns the workloads that a server serves, in the order of Workloads.
func served(all []kube.Resource) []kube.Resource {
	var found []kube.Resource
	for _, name := range workloads {
		if i := slices.IndexFunc(all, func(r kube.Resource) bool { return r.String() == name }); i >= 0 {
			found = append(found, all[i])
		}
	}
	return found
}
