package settings

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/platform/record"
)

// Scope describes which objects of a type are recorded.
func (r *ResourceConfig) Scope() string {
	text := "all"
	switch {
	case r.Own:
		text = "the namespace of the context, or -n"
	case len(r.Namespaces) > 0:
		text = strings.Join(r.Namespaces, ", ")
	}
	for _, selector := range []string{r.Labels, r.Fields} {
		if selector != "" {
			text += " with " + selector
		}
	}
	if r.Ranges > 1 {
		text += fmt.Sprintf(", in %d UID ranges", r.Ranges)
	}
	return text
}

// Targets returns the targets of a recorder for the type in a namespace; "" means all.
func (r *ResourceConfig) Targets(typ, namespace string) []record.Target {
	return record.Target{Type: typ, Namespace: namespace, LabelSelector: r.Labels, FieldSelector: r.Fields}.Divide(r.Ranges)
}

// WithPosition adds the position in the file to an error.
func (r *ResourceConfig) WithPosition(err error) error {
	if r.At == "" {
		return err
	}
	return fmt.Errorf("%s: %w", r.At, err)
}
