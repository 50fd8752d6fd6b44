package source

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/platform/history"
)

// ParseLabels parses "app=train,team=vision".
func ParseLabels(text string) (labels []history.Label, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.Replace(part, "==", "=", 1), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.ContainsAny(name, "!() ") {
			return nil, fmt.Errorf("the history cannot be searched by the selector %q; use name=value, separated by commas", text)
		}
		labels = append(labels, history.Label{Name: name, Value: value})
	}
	return labels, nil
}

// PageLimit returns the size of a page for a list that prints up to a number of items. 0
// prints all.
func PageLimit(limit int) int {
	if limit <= 0 {
		return 500
	}
	return min(limit, 500)
}
