package listing

import (
	"fmt"

	"github.com/vedette-io/vedette/state"
)

// stateColors are the colors of states, as SGR parameters.
var stateColors = map[state.State]string{
	state.Submitted: "2", state.Queued: "33", state.Suspended: "33", state.Starting: "36",
	state.Running: "34", state.Restarting: "35", state.Succeeded: "32", state.Failed: "31",
	state.Aborted: "31", state.Deleted: "2",
}

// PaintState colors text by a state, with control sequences.
func PaintState(text string, s state.State) string {
	code, ok := stateColors[s]
	if !ok {
		return text
	}
	return fmt.Sprintf("\x1b[%sm%s\x1b[0m", code, text)
}
