package job

// PodsStatus is what the pods of a job show together. It follows from their classes: see PodClass.
type PodsStatus struct {
	Problem Status // the first problem, or the zero Status
	Bound   bool   // a pod has a node
	Steady  bool   // a pod that has not ended is not restarted
}

// WithPods returns the status of a job from that of its object and those of its pods. A type
// that does not say why its pods do not start gets the reason from them:
//
//   - A job whose pods fit on no node, or are held back from the scheduler, is Queued. This is
//     the one definition of waiting for a place to run.
//   - A job whose pods cannot start, because of an image, an init container or a volume, keeps
//     its state and has the reason of the pod.
//   - A job whose pods are restarted is Restarting. While one of several pods still runs, a job
//     that its controller calls Running stays so, with the reason.
//   - A job with a pod on a node is Starting, even if its controller has not said so yet.
//
// Of several problems, the one that comes first in the life of a pod counts, because the
// others may be its consequence. Pods that have ended do not count: the controller has reported
// them, or soon will. A job that has ended or is on hold is as its object says.
//
// The order of pods decides only between equal problems of the same time.
func (s Status) WithPods(pods []Status) Status { return s.WithPodsStatus(podsStatusOf(pods)) }

// WithPodsStatus is WithPods for pods that show this together.
func (s Status) WithPodsStatus(p PodsStatus) Status {
	if s.State.Final() || s.State == Suspended || s.State == "" {
		return s
	}
	switch running := s.State == Running; {
	case p.Problem.Reason == "" && s.State == Submitted && p.Bound:
		return Status{State: Starting, Raw: s.Raw}
	case p.Problem.Reason == "":
		return s
	case running && !p.Steady, !running && p.Problem.State == Restarting:
		s.State, s.At = Restarting, p.Problem.At
	case !running && p.Problem.State == Queued:
		s.State, s.At = Queued, p.Problem.At
	case !running && p.Problem.State == Starting && s.State != Restarting:
		s.State, s.At = Starting, p.Problem.At
	}
	s.Reason, s.Message = p.Problem.Reason, p.Problem.Message
	return s
}

// podsStatusOf returns what some pods show together.
func podsStatusOf(pods []Status) (all PodsStatus) {
	first := NoClass // class of the problem
	for _, p := range pods {
		class := p.PodClass()
		all.Bound = all.Bound || class.Bound()
		all.Steady = all.Steady || class.Steady()
		if class.Problem() && (first == NoClass || class < first || class == first && p.At.Before(all.Problem.At)) {
			first, all.Problem = class, p
		}
	}
	return all
}
