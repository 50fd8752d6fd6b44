package jobspec

import (
	"math"
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

// Read reads the body of a job as JSON. It returns the zero value for a text that is not
// an object, and ignores fields that it does not understand.
func Read(body []byte) Spec { return Of(Parse(body)) }

// Of reads a decoded job. It keeps the object, which must not change while the Spec is used.
func Of(object map[string]any) Spec {
	o := Object(object)
	s := Spec{object: o, Queue: queue(o)}
	s.readPods()
	s.readAttempts()
	s.readDeadline()
	name := o.Text("metadata", "name")
	switch o.Type() {
	case "jobset.x-k8s.io/JobSet", "trainer.kubeflow.org/TrainJob": // a TrainJob has a JobSet with the same name
		s.PodLabels = map[string]string{"jobset.sigs.k8s.io/jobset-name": name}
	case "ray.io/RayJob":
		if cluster := o.Text("status", "rayClusterName"); cluster != "" {
			s.PodLabels = map[string]string{"ray.io/cluster": cluster}
		}
	}
	return s
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

// readPods reads the resources of the pods of a job, and its main container.
func (s *Spec) readPods() {
	var all resources
	sets := podSets(s.object)
	s.Priority = priority(s.object, sets)
	for _, set := range sets {
		all = all.plus(set.holds.times(set.count))
		s.Pods = min(s.Pods+set.count, maxCount)
		if s.Image == "" {
			s.Image, s.Command = program(set.pod)
		}
	}
	s.GPUs, s.CPU, s.Memory = all.gpus, all.cpu, int64(all.memory)
	spec := s.object.Map("spec")
	switch s.object.Type() {
	case "trainer.kubeflow.org/TrainJob":
		s.Image, s.Command = spec.Text("trainer", "image"), append(spec.Texts("trainer", "command"), spec.Texts("trainer", "args")...)
	case "ray.io/RayJob":
		s.Command = strings.Fields(spec.Text("entrypoint"))
	}
}

// program returns the image and the command of the main container of a pod: the first one.
func program(pod Object) (image string, command []string) {
	for _, c := range pod.List("containers") {
		return c.Text("image"), append(c.Texts("command"), c.Texts("args")...)
	}
	return "", nil
}

// readAttempts reads the facts about attempts in a job. For jobs without them, callers use
// transitions.
func (s *Spec) readAttempts() {
	o := s.object
	switch o.Type() {
	case "batch/Job":
		if o.Count(1, "spec", "parallelism") > 1 {
			return // it counts pods, not attempts
		}
		s.Attempts, s.ended, s.counted = o.Count(6, "spec", "backoffLimit")+1, o.Count(0, "status", "failed"), true
	case "batch.volcano.sh/Job": // its limit counts attempts
		s.Attempts, s.ended, s.counted = o.Count(3, "spec", "maxRetry"), o.Count(0, "status", "retryCount"), true
	case "ray.io/RayJob":
		s.Attempts, s.ended, s.counted = o.Count(0, "spec", "backoffLimit")+1, o.Count(0, "status", "failed"), true
	case "jobset.x-k8s.io/JobSet":
		s.Attempts, s.ended = o.Count(0, "spec", "failurePolicy", "maxRestarts")+1, o.Count(0, "status", "restarts")
	default:
		if n, ok := o.Number("spec", "runPolicy", "backoffLimit"); ok && n >= 0 {
			s.Attempts = n + 1
		}
		return
	}
	s.Attempt = s.ended + 1
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

// maxLimit keeps deadlines within the range of times, in seconds.
const maxLimit = 10 * 365 * 24 * 3600

// readDeadline reads the maximum running time and the start of a job.
func (s *Spec) readDeadline() {
	for _, path := range [][]string{{"spec", "activeDeadlineSeconds"}, {"spec", "runPolicy", "activeDeadlineSeconds"}} {
		if n, ok := float(s.object.At(path...)); ok && n > 0 && n == math.Trunc(n) && n < math.MaxInt64 {
			s.Limit = time.Duration(min(n, maxLimit)) * time.Second
			break
		}
	}
	began := s.object.Moment("status", "startTime")
	if began.IsZero() {
		began = s.object.Moment("status", "startedAt")
	}
	if s.Limit > 0 && !began.IsZero() {
		s.Deadline = began.Add(s.Limit)
	}
}
