package jobspec

import (
	"cmp"

	"github.com/vedette-io/vedette/jobmeta"
)

// queueNames are labels and annotations with the queue of a job. submitterNames have the
// submitter. The first one with a value counts.
var (
	queueNames     = []string{"kueue.x-k8s.io/queue-name", "scheduling.volcano.sh/queue-name", "volcano.sh/queue-name"}
	submitterNames = []string{jobmeta.UserLabel, "app.kubernetes.io/created-by", "user"}
)

// Submitter returns the submitter in the labels or annotations of an object. The
// annotation jobmeta.Submitter takes precedence, because some names are not valid labels.
func Submitter(labels, annotations map[string]string) string {
	return cmp.Or(annotations[jobmeta.Submitter], firstOf(labels, submitterNames), firstOf(annotations, submitterNames))
}

// Queue returns the queue in some labels. A held job has none.
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
