package listing

import (
	"strings"

	"github.com/vedette-io/vedette/job"
)

// StateOrder is the order in which states are printed.
var StateOrder = []string{"Submitted", "Queued", "Suspended", "Starting", "Running", "Restarting", "Succeeded", "Failed", "Aborted", "Deleted", ""}

// JoinStates returns states as a list with commas.
func JoinStates(states []job.State) string {
	var words []string
	for _, s := range states {
		words = append(words, string(s))
	}
	return strings.Join(words, ", ")
}
