package notify

import (
	"strings"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// signalOf returns the value of an annotation as text, or of a field of the status as JSON.
// It is empty if the job has none.
func signalOf(j *job.Spec, s rule.Signal) string {
	switch s.Kind {
	case rule.Annotation:
		return j.Annotation(s.Name)
	case rule.Status:
		return j.Object().JSON(append([]string{"status"}, strings.Split(s.Name, ".")...)...)
	}
	return ""
}
