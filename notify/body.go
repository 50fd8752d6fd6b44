package notify

import (
	"strings"

	"github.com/vedette-io/vedette/internal/jobspec"
	"github.com/vedette-io/vedette/notify/rule"
)

// signalOf returns the value of an annotation as text, or of a field of the status as JSON.
// It is empty if the job has none.
func signalOf(job *jobspec.Spec, s rule.Signal) string {
	switch s.Kind {
	case rule.Annotation:
		return job.Annotation(s.Name)
	case rule.Status:
		return job.Object().JSON(append([]string{"status"}, strings.Split(s.Name, ".")...)...)
	}
	return ""
}
