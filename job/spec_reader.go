package job

import (
	"math"
	"time"
)

// ParseSpec reads the body of a job as JSON. It returns the zero value for a text that is not
// an object, and ignores fields that it does not understand.
func ParseSpec(body []byte) Spec { return ReadSpec(ParseObject(body)) }

// ReadSpec reads a decoded job. It keeps the object, which must not change while the Spec is used.
func ReadSpec(object map[string]any) Spec {
	o := Object(object)
	s := Spec{object: o, Queue: queueOf(o)}
	s.readPods()
	s.readDeadline()
	k := o.kind()
	if k.Indirect {
		s.PodLabels = k.PodLabels(o)
	}
	if k.requests != nil {
		k.requests(&s)
	} else {
		readRunPolicy(&s)
	}
	return s
}

// maxNested is the maximum depth of objects within objects that describe the pods of a job.
const maxNested = 3

// podSets returns the pods that a job runs concurrently. The set with the main program is
// first. Kinds without a rule have the roles of Kubeflow's jobs, or one template.
func podSets(o Object, depth int) (sets []podSet) {
	switch k := o.kind(); {
	case k.podSets != nil:
		return k.podSets(o)
	case k.nested != nil && depth == maxNested:
		return nil
	case k.nested != nil:
		for _, n := range k.nested(o) {
			for _, s := range podSets(n.object, depth+1) {
				s.count = product(s.count, n.count)
				sets = append(sets, s)
			}
		}
		return sets
	case k.Pods != nil:
		return podSetsIn(o, k.Pods)
	}
	spec := o.Map("spec")
	if sets := podSetsOfReplicas(spec); sets != nil {
		return sets
	}
	if pod := spec.Map("template", "spec"); pod != nil {
		return []podSet{podsOf(spec.Count(1, "replicas"), pod)}
	}
	return nil
}

// readPods reads the resources of the pods of a job, and its main container.
func (s *Spec) readPods() {
	var all resources
	sets := podSets(s.object, 0)
	s.Priority = priorityOf(s.object, sets)
	for _, set := range sets {
		all = all.plus(set.holds.times(set.count))
		s.Pods = min(s.Pods+set.count, maxCount)
		if s.Image == "" {
			s.Image, s.Command = program(set.pod)
		}
	}
	s.GPUs, s.CPU, s.Memory = all.gpus, all.cpu, int64(all.memory)
}

// program returns the image and the command of the main container of a pod: the first one.
func program(pod Object) (image string, command []string) {
	for _, c := range pod.List("containers") {
		return c.Text("image"), append(c.Texts("command"), c.Texts("args")...)
	}
	return "", nil
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
