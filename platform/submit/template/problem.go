package template

import (
	"errors"
	"fmt"
)

// Problem is a mistake in the values of a template.
type Problem struct {
	// Template is the name of the template.
	Template string
	// Parameter is the parameter with the wrong value, or "" if several are involved.
	Parameter string
	// Line is the line of the template that found the mistake, or 0.
	Line int
	// Message describes the mistake, without the name of the parameter.
	Message string
}

// Error implements error.
func (p *Problem) Error() string {
	if p.Parameter == "" {
		return fmt.Sprintf("template %s: %s", p.Template, p.Message)
	}
	return fmt.Sprintf("template %s: parameter %s: %s", p.Template, p.Parameter, p.Message)
}

// ValuesError is all mistakes in the values of a template.
type ValuesError struct{ Problems []*Problem }

// Error implements error. Each mistake has its own line.
func (e *ValuesError) Error() string { return errors.Join(e.Unwrap()...).Error() }

// Unwrap returns the mistakes.
func (e *ValuesError) Unwrap() []error {
	var all []error
	for _, p := range e.Problems {
		all = append(all, p)
	}
	return all
}
