package listing

import (
	"fmt"

	"github.com/vedette-io/vedette/job"
)

// stateColors are the colors of states, as SGR parameters.
var stateColors = map[job.State]string{
	job.Submitted: "2", job.Queued: "33", job.Suspended: "33", job.Starting: "36",
	job.Running: "34", job.Restarting: "35", job.Succeeded: "32", job.Failed: "31",
	job.Aborted: "31", job.Deleted: "2",
}

// PaintState colors text by a state, with control sequences.
func PaintState(text string, s job.State) string {
	code, ok := stateColors[s]
	if !ok {
		return text
	}
	return fmt.Sprintf("\x1b[%sm%s\x1b[0m", code, text)
}
