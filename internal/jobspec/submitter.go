package jobspec

import (
	"cmp"

	"github.com/vedette-io/vedette/jobmeta"
)

// queueNames are labels and annotations that name the queue of a job. submitterNames name
// the submitter. The first name with a value counts.
var (
	queueNames     = []string{"kueue.x-k8s.io/queue-name", "scheduling.volcano.sh/queue-name", "volcano.sh/queue-name"}
	submitterNames = []string{jobmeta.UserLabel, "app.kubernetes.io/created-by", "user"}
)

// Submitter returns who submitted an object with some labels and annotations. The annotation
// jobmeta.Submitter comes first, because a label cannot have every name.
func Submitter(labels, annotations map[string]string) string {
	return cmp.Or(annotations[jobmeta.Submitter], firstOf(labels, submitterNames), firstOf(annotations, submitterNames))
}

// Queue returns the queue that labels name. A held job has none.
func Queue(labels map[string]string) string {
	if queue := firstOf(labels, queueNames); queue != jobmeta.NoQueue {
		return queue
	}
	return ""
}

func firstOf(values map[string]string, names []string) string {
	for _, name := range names {
		if v := values[name]; v != "" {
			return v
		}
	}
	return ""
}
