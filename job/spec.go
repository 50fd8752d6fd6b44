package job

import (
	"strings"
	"time"
)

// Spec has the requested resources of a job, and facts about its attempts. A field is zero
// if the job does not specify it.
type Spec struct {
	// GPUs is the number of GPUs of all concurrent pods, of all vendors. A slice of a GPU
	// (MIG) counts as one.
	GPUs int
	// Pods is the number of concurrent pods. For jobs with a pod on each node it is the
	// number of nodes.
	Pods int
	// CPU is in cores, and Memory in bytes. Both are sums over the pods.
	CPU    float64
	Memory int64
	// Image and Command belong to the main container: the command with its arguments, or
	// the entrypoint of a RayJob.
	Image   string
	Command []string
	// Queue is the queue in a label, an annotation or a field of the job.
	Queue string
	// Priority is the priority class of the job: the class for its queue, or that of its
	// pods.
	Priority string
	// Attempts is the maximum number of attempts. Attempt is the number of the current
	// attempt or, between two attempts, of the next one, from 1.
	Attempts, Attempt int
	// Limit is the maximum running time of the job, at most 10 years, and Deadline the
	// time when it ends. Deadline is zero until the job has started.
	Limit    time.Duration
	Deadline time.Time
	// PodLabels select the pods of the job if the job is not their controller.
	PodLabels map[string]string

	object  Object
	ended   int  // number of ended attempts
	counted bool // ended includes the last attempt of a failed job
}

// Object returns the job.
func (s Spec) Object() Object { return s.object }

// Annotation returns an annotation of the object.
func (s Spec) Annotation(name string) string { return s.object.Text("metadata", "annotations", name) }

// Annotations returns the annotations of the object.
func (s Spec) Annotations() map[string]string {
	all := map[string]string{}
	for name, value := range s.object.Map("metadata", "annotations") {
		if text, ok := value.(string); ok {
			all[name] = text
		}
	}
	return all
}

// Field returns the value at a path such as "status.progress" as text, and whether it
// exists. Objects and arrays have no text.
func (s Spec) Field(path string) (string, bool) { return s.object.Scalar(strings.Split(path, ".")...) }

// count sets the facts about attempts of a kind whose objects have them: the maximum number, and
// the number of ended attempts. For other jobs, callers use transitions.
func (s *Spec) count(most, ended int) {
	ended = max(0, min(ended, MaxAttempt-1))
	s.Attempts, s.ended, s.Attempt = most, ended, ended+1
}

// AttemptOf returns Attempt, or for a permanently failed job the number of the last
// attempt. It returns 0 if the job has no such number.
func (s Spec) AttemptOf(failed bool) int {
	n := s.Attempt
	if failed && s.counted {
		n = max(s.ended, min(s.Attempt, 1))
	}
	if s.Attempts > 0 {
		n = min(n, s.Attempts)
	}
	return n
}
