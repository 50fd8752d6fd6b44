package job

// podSet is a number of equal pods.
type podSet struct {
	count int
	pod   Object    // its specification; nil if the job does not contain it
	holds resources // of one pod
}

func podsOf(count int, pod Object) podSet { return podSet{count, pod, resourcesOfPod(pod)} }

func podSetsOf(all []Object, of func(Object) podSet) (sets []podSet) {
	for _, o := range all {
		sets = append(sets, of(o))
	}
	return sets
}
