package submit

import (
	"fmt"
	"strconv"
	"strings"
)

// Problem is one mistake in a manifest.
type Problem struct {
	// Field is the path in the notation of servers:
	// "spec.template.spec.containers[0].image". It is empty if the mistake is not in a
	// field.
	Field string
	// Source is the file, and Line the line in it; 0 if unknown.
	Source string
	Line   int
	// Parameter is the parameter of the template that the value of the field came from;
	// may be empty.
	Parameter string
	// Message is the server's text, unchanged: it may contain characters that must be
	// escaped for a terminal.
	Message string
	// Type is the server's word for the kind of mistake: "FieldValueInvalid". It may be
	// empty.
	Type string
}

// String returns the problem in one line: "job.yaml:12: spec.parallelism: Invalid value: …".
func (p Problem) String() string {
	text := p.Message
	if p.Field != "" && !strings.Contains(p.Message, p.Field) && !strings.Contains(p.Message, strconv.Quote(p.Field)) {
		text = p.Field + ": " + text
	}
	switch {
	case p.Line > 0:
		text = fmt.Sprintf("%s:%d: %s", p.Source, p.Line, text)
	case p.Source != "":
		text = p.Source + ": " + text
	}
	return text
}

// InvalidError reports that the server refuses a job, with the problems. Nothing was
// created.
type InvalidError struct {
	// Problems has at least one element.
	Problems []Problem
	// Err is the server's refusal; nil if nothing was sent.
	Err error
}

// Error implements error.
func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the refusal.
func (e *InvalidError) Unwrap() error { return e.Err }
