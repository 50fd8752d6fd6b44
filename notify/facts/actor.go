package facts

import (
	"github.com/vedette-io/vedette/internal/jobspec"
	"github.com/vedette-io/vedette/jobmeta"
	"github.com/vedette-io/vedette/notify/message"
	"github.com/vedette-io/vedette/state"
)

// actorOf returns the person who cancelled a job, as its annotations claim, if the
// cancellation caused the state of the notice.
func actorOf(n *message.Notice, spec *jobspec.Spec) string {
	if n.To != state.Aborted && n.To != state.Deleted || n.Reason != message.Cancelled {
		return ""
	}
	return spec.Annotation(jobmeta.CancelledBy)
}
