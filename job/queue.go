package job

func queueOf(o Object) string {
	for _, kind := range []string{"labels", "annotations"} {
		for _, name := range queueNames {
			if q := o.Text("metadata", kind, name); q != "" && q != NoQueue {
				return q
			}
		}
	}
	return o.Text("spec", "runPolicy", "schedulingPolicy", "queue") // of Kubeflow's jobs
}

// priorityNames are labels that name a priority class.
var priorityNames = []string{"kueue.x-k8s.io/priority-class"}

// priorityOf returns the priority class of a job: the class for its queue, or else that of
// its pods.
func priorityOf(o Object, sets []podSet) string {
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
