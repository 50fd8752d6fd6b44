package submit

import (
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
)

// served returns the types of jobs that a server serves, in the order of job.Types.
func served(all []kube.Resource) []kube.Resource {
	var found []kube.Resource
	for _, name := range job.Types() {
		if i := slices.IndexFunc(all, func(r kube.Resource) bool { return r.String() == name }); i >= 0 {
			found = append(found, all[i])
		}
	}
	return found
}
