package facts

import (
	"strings"
	"time"

	"github.com/vedette-io/vedette/notify/message"
)

// Spec is what the body of a job says about it.
type Spec struct {
	GPUs int // 0: none, or unknown
	// Attempts is how many attempts are allowed, and Attempt the number of the current one or,
	// between two, of the next one, from 1. 0 is unknown.
	Attempts, Attempt int
	// Limit is how long the job may run, and Deadline when that ends. Zero is none or unknown.
	Limit    time.Duration
	Deadline time.Time
	// PodLabels select the pods of the job if the job is not their controller.
	PodLabels map[string]string

	body    tree
	ended   int  // attempts that have ended
	counted bool // ended has the last attempt of a job that has failed
}

// ReadSpec reads the body of a job. It returns the zero value for a text that is no object,
// and leaves out whatever it does not understand.
func ReadSpec(body []byte) Spec {
	t := parseTree(body)
	s := Spec{GPUs: templates(t), body: t}
	s.readAttempts()
	s.readDeadline()
	name := t.text("metadata", "name")
	switch t.group() + "/" + t.text("kind") {
	case "jobset.x-k8s.io/JobSet", "trainer.kubeflow.org/TrainJob": // a TrainJob has a JobSet of its name
		s.PodLabels = map[string]string{"jobset.sigs.k8s.io/jobset-name": name}
	case "ray.io/RayJob":
		if cluster := t.text("status", "rayClusterName"); cluster != "" {
			s.PodLabels = map[string]string{"ray.io/cluster": cluster}
		}
	}
	return s
}

// Annotation returns an annotation of the object.
func (s Spec) Annotation(name string) string { return s.body.text("metadata", "annotations", name) }

// Field returns the value at a path such as "status.progress" as text, and whether there is
// one. Objects and arrays have no text.
func (s Spec) Field(path string) (string, bool) { return s.body.scalar(strings.Split(path, ".")...) }

// templates returns the GPUs of all pods that a job asks for.
func templates(t tree) int {
	spec := t.tree("spec")
	switch t.group() + "/" + t.text("kind") {
	case "/Pod":
		return gpusOf(spec)
	case "batch/Job":
		return ofJob(spec)
	case "batch.volcano.sh/Job":
		return sum(spec.list("tasks"), func(task tree) int { return times(task.count(1, "replicas"), gpusOf(task.tree("template", "spec"))) })
	case "jobset.x-k8s.io/JobSet":
		return sum(spec.list("replicatedJobs"), func(j tree) int { return times(j.count(1, "replicas"), ofJob(j.tree("template", "spec"))) })
	case "trainer.kubeflow.org/TrainJob":
		return times(spec.count(1, "trainer", "numNodes"), inResources(spec.tree("trainer", "resourcesPerNode")))
	case "ray.io/RayJob":
		return ofRay(spec.tree("rayClusterSpec"))
	case "kueue.x-k8s.io/Workload":
		return sum(spec.list("podSets"), func(set tree) int { return times(set.count(1, "count"), gpusOf(set.tree("template", "spec"))) })
	}
	n := 0
	for name := range spec {
		if strings.HasSuffix(name, "ReplicaSpecs") { // of Kubeflow's jobs
			for role := range spec.tree(name) {
				replica := spec.tree(name, role)
				n += times(replica.count(1, "replicas"), gpusOf(replica.tree("template", "spec")))
			}
		}
	}
	if n == 0 {
		n = times(spec.count(1, "replicas"), gpusOf(spec.tree("template", "spec")))
	}
	return min(n, maxGPUs)
}

func ofJob(spec tree) int {
	pods := spec.count(1, "parallelism")
	if completions, ok := spec.number("completions"); ok && completions > 0 {
		pods = min(pods, completions)
	}
	return times(pods, gpusOf(spec.tree("template", "spec")))
}

func ofRay(spec tree) int {
	n := gpusOf(spec.tree("headGroupSpec", "template", "spec"))
	n += sum(spec.list("workerGroupSpecs"), func(group tree) int {
		pods := times(group.count(group.count(0, "minReplicas"), "replicas"), group.count(1, "numOfHosts"))
		return times(pods, gpusOf(group.tree("template", "spec")))
	})
	return min(n, maxGPUs)
}

func sum(all []tree, of func(tree) int) (n int) {
	for _, t := range all {
		n = min(n+of(t), maxGPUs)
	}
	return n
}

// readAttempts reads what a job says about its attempts. Where it says nothing, its
// transitions do.
func (s *Spec) readAttempts() {
	t := s.body
	switch t.group() + "/" + t.text("kind") {
	case "batch/Job":
		if t.count(1, "spec", "parallelism") > 1 {
			return // its counters are those of pods, not of attempts
		}
		s.Attempts, s.ended, s.counted = t.count(6, "spec", "backoffLimit")+1, t.count(0, "status", "failed"), true
	case "batch.volcano.sh/Job": // its limit counts attempts
		s.Attempts, s.ended, s.counted = t.count(3, "spec", "maxRetry"), t.count(0, "status", "retryCount"), true
	case "ray.io/RayJob":
		s.Attempts, s.ended, s.counted = t.count(0, "spec", "backoffLimit")+1, t.count(0, "status", "failed"), true
	case "jobset.x-k8s.io/JobSet":
		s.Attempts, s.ended = t.count(0, "spec", "failurePolicy", "maxRestarts")+1, t.count(0, "status", "restarts")
	default:
		if n, ok := t.number("spec", "runPolicy", "backoffLimit"); ok && n >= 0 {
			s.Attempts = n + 1
		}
		return
	}
	s.Attempt = s.ended + 1
}

// attemptOf returns the number of the attempt that a notice tells about, 0 if the job does
// not say.
func (s *Spec) attemptOf(kind message.Kind) int {
	n := s.Attempt
	if kind == message.Failed && s.counted { // the last attempt is among those that ended
		n = max(s.ended, min(s.Attempt, 1))
	}
	if s.Attempts > 0 {
		n = min(n, s.Attempts)
	}
	return n
}

// readDeadline reads how long the job may run, and from when on.
func (s *Spec) readDeadline() {
	for _, path := range [][]string{{"spec", "activeDeadlineSeconds"}, {"spec", "runPolicy", "activeDeadlineSeconds"}} {
		if n, ok := s.body.number(path...); ok && n > 0 {
			s.Limit = time.Duration(n) * time.Second
			break
		}
	}
	if began := s.body.moment("status", "startTime"); s.Limit > 0 && !began.IsZero() {
		s.Deadline = began.Add(s.Limit)
	}
}
