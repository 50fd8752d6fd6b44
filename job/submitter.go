package job

import (
	"cmp"
)

// queueNames are labels and annotations with the queue of a job. submitterNames have the
// submitter. The first one with a value counts.
var (
	queueNames     = []string{"kueue.x-k8s.io/queue-name", "scheduling.volcano.sh/queue-name", "volcano.sh/queue-name"}
	submitterNames = []string{UserLabel, "app.kubernetes.io/created-by", "user"}
)

// SubmitterOf returns the submitter in the labels or annotations of an object. The
// annotation job.SubmitterAnnotation takes precedence, because some names are not valid labels.
func SubmitterOf(labels, annotations map[string]string) string {
	return cmp.Or(annotations[SubmitterAnnotation], firstOf(labels, submitterNames), firstOf(annotations, submitterNames))
}

// QueueOf returns the queue in some labels. A held job has none.
func QueueOf(labels map[string]string) string {
	if queue := firstOf(labels, queueNames); queue != NoQueue {
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
