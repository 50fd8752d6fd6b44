package jobspec

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// podSet is a number of equal pods.
type podSet struct {
	count int
	pod   Object    // its specification; nil if the job does not contain it
	holds resources // of one pod
}

func podsOf(count int, pod Object) podSet { return podSet{count, pod, ofPod(pod)} }

// podSets returns the pods that a job runs concurrently. The set with the main program is
// first.
func podSets(o Object) []podSet {
	spec := o.Map("spec")
	switch o.Type() {
	case "/Pod":
		return []podSet{podsOf(1, spec)}
	case "batch/Job":
		return []podSet{ofJob(spec, 1)}
	case "batch.volcano.sh/Job":
		return each(spec.List("tasks"), func(task Object) podSet { return podsOf(task.Count(1, "replicas"), task.Map("template", "spec")) })
	case "jobset.x-k8s.io/JobSet":
		return each(spec.List("replicatedJobs"), func(j Object) podSet { return ofJob(j.Map("template", "spec"), j.Count(1, "replicas")) })
	case "trainer.kubeflow.org/TrainJob":
		return []podSet{{count: spec.Count(1, "trainer", "numNodes"), holds: ofResources(spec.Map("trainer", "resourcesPerNode"))}}
	case "ray.io/RayJob":
		return ofRay(spec.Map("rayClusterSpec"))
	case "kueue.x-k8s.io/Workload":
		return each(spec.List("podSets"), func(set Object) podSet { return podsOf(set.Count(1, "count"), set.Map("template", "spec")) })
	case "argoproj.io/Workflow":
		return ofWorkflow(spec)
	}
	if sets := ofReplicas(spec); sets != nil {
		return sets
	}
	if pod := spec.Map("template", "spec"); pod != nil {
		return []podSet{podsOf(spec.Count(1, "replicas"), pod)}
	}
	return nil
}

func each(all []Object, of func(Object) podSet) (sets []podSet) {
	for _, o := range all {
		sets = append(sets, of(o))
	}
	return sets
}

func ofJob(spec Object, replicas int) podSet {
	pods := spec.Count(1, "parallelism")
	if completions, ok := spec.Number("completions"); ok && completions > 0 {
		pods = min(pods, completions)
	}
	return podsOf(times(pods, replicas), spec.Map("template", "spec"))
}

func ofRay(spec Object) []podSet {
	if spec == nil {
		return nil
	}
	return append([]podSet{podsOf(1, spec.Map("headGroupSpec", "template", "spec"))}, each(spec.List("workerGroupSpecs"), func(group Object) podSet {
		pods := times(group.Count(group.Count(0, "minReplicas"), "replicas"), group.Count(1, "numOfHosts"))
		return podsOf(pods, group.Map("template", "spec"))
	})...)
}

// leaders are the roles of Kubeflow's jobs whose container runs the main program.
var leaders = []string{"Master", "Chief", "Launcher"}

// ofReplicas returns the pods of Kubeflow's jobs.
func ofReplicas(spec Object) (sets []podSet) {
	for name := range spec {
		if !strings.HasSuffix(name, "ReplicaSpecs") {
			continue
		}
		roles := slices.SortedFunc(maps.Keys(spec.Map(name)), func(x, y string) int {
			leads := func(role string) int { return slices.Index(leaders, role) }
			return cmp.Or(-cmp.Compare(leads(x), leads(y)), cmp.Compare(x, y))
		})
		for _, role := range roles {
			replica := spec.Map(name, role)
			sets = append(sets, podsOf(replica.Count(1, "replicas"), replica.Map("template", "spec")))
		}
	}
	return sets
}

// ofWorkflow returns the largest pod of a workflow. The number of concurrent pods is
// unknown before it runs.
func ofWorkflow(spec Object) []podSet {
	var largest podSet
	for _, t := range spec.List("templates") {
		for _, kind := range []string{"container", "script"} {
			c := t.Map(kind)
			if c == nil {
				continue
			}
			s := podsOf(1, Object{"containers": []any{map[string]any(c)}})
			if largest.pod == nil || s.holds.gpus > largest.holds.gpus {
				largest = s
			}
		}
	}
	if largest.pod == nil {
		return nil
	}
	return []podSet{largest}
}
