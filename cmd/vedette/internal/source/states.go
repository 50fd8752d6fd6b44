package source

import (
	"fmt"

	"github.com/vedette-io/vedette/job"
)

// ParseStates parses the values of --state. Words may have any case.
func ParseStates(words []string) ([]job.State, error) {
	states, err := job.ParseStates(words)
	if err != nil {
		return nil, fmt.Errorf("--state: %w", err)
	}
	return states, nil
}
