package jobspec

func queue(o Object) string {
	for _, kind := range []string{"labels", "annotations"} {
		for _, name := range queueNames {
			if q := o.Text("metadata", kind, name); q != "" {
				return q
			}
		}
	}
	if o.Type() == "batch.volcano.sh/Job" {
		return o.Text("spec", "queue")
	}
	return o.Text("spec", "runPolicy", "schedulingPolicy", "queue") // of Kubeflow's jobs
}
