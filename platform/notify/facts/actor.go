package facts

import (
	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/notify/message"
)

// actorOf returns the person who cancelled a job, as its annotations claim, if the
// cancellation caused the state of the notice.
func actorOf(n *message.Notice, spec *job.Spec) string {
	if n.To != job.Aborted && n.To != job.Deleted || n.Reason != message.Cancelled {
		return ""
	}
	return spec.Annotation(job.CancelledByAnnotation)
}
