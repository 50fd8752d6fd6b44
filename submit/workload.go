package submit

import (
	"slices"

	"github.com/vedette-io/vedette/internal/jobspec"
	"github.com/vedette-io/vedette/kube"
)

// workloads are the types of jobs, in the order in which a name without a type is looked up.
var workloads = jobspec.Types()

// Workloads returns the types of jobs, such as "pytorchjobs.kubeflow.org", those first
// whose operators create objects of the others.
func Workloads() []string { return slices.Clone(workloads) }

// served returns the workloads among the types of a server, in the order of Workloads.
func served(all []kube.Resource) []kube.Resource {
	var found []kube.Resource
	for _, name := range workloads {
		if i := slices.IndexFunc(all, func(r kube.Resource) bool { return r.String() == name }); i >= 0 {
			found = append(found, all[i])
		}
	}
	return found
}
