package source

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/platform/history"
)

// ParseLabels parses the value of --selector, for the history and for a cluster.
func ParseLabels(text string) (labels.Selector, error) {
	selector, err := history.ParseLabels(text)
	if err != nil {
		return nil, fmt.Errorf("--selector: %w", err)
	}
	return selector, nil
}
