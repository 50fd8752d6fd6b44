package jobspec

import "github.com/vedette-io/vedette/jobmeta"

func queue(o Object) string {
	for _, kind := range []string{"labels", "annotations"} {
		for _, name := range queueNames {
			if q := o.Text("metadata", kind, name); q != "" && q != jobmeta.NoQueue {
				return q
			}
		}
	}
	if o.Type() == "batch.volcano.sh/Job" {
		return o.Text("spec", "queue")
	}
	return o.Text("spec", "runPolicy", "schedulingPolicy", "queue") // of Kubeflow's jobs
}

// priorityNames are labels that name a priority class.
var priorityNames = []string{"kueue.x-k8s.io/priority-class"}

// priority returns the priority class of a job: the class for its queue, or else that of
// its pods.
func priority(o Object, sets []podSet) string {
	for _, name := range priorityNames {
		if p := o.Text("metadata", "labels", name); p != "" {
			return p
		}
	}
	for _, path := range [][]string{{"spec", "priorityClassName"}, {"spec", "runPolicy", "schedulingPolicy", "priorityClass"}} {
		if p := o.Text(path...); p != "" {
			return p
		}
	}
	for _, set := range sets {
		if p := set.pod.Text("priorityClassName"); p != "" {
			return p
		}
	}
	return ""
}
