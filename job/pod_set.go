package job

// podSet is a number of equal pods.
type podSet struct {
	count int
	pod   Object    // its specification; nil if the job does not contain it
	holds resources // of one pod
}

func podsOf(count int, pod Object) podSet { return podSet{count, pod, resourcesOfPod(pod)} }

// PodField describes equal pods of a job.
type PodField struct {
	// Count is the path of their number, nil for one pod.
	Count []string
	// Template is the path of their template, or of their spec.
	Template []string
}

// nested is a number of equal objects within a job that describe its pods.
type nested struct {
	count  int
	object Object
}

// podSetsIn returns the pods in some fields of a job.
func podSetsIn(o Object, fields []PodField) (sets []podSet) {
	for _, f := range fields {
		count := 1
		if f.Count != nil {
			count = o.Count(1, f.Count...)
		}
		pod := o.Map(f.Template...)
		if spec := pod.Map("spec"); spec != nil {
			pod = spec
		}
		sets = append(sets, podsOf(count, pod))
	}
	return sets
}

func podSetsOf(all []Object, of func(Object) podSet) (sets []podSet) {
	for _, o := range all {
		sets = append(sets, of(o))
	}
	return sets
}
