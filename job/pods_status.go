package job

// podsStatus is what the pods of a job show together.
type podsStatus struct {
	problem    Status // the first problem, or the zero Status
	bound      bool   // a pod has a node
	restarting bool   // pods exist, and the containers of each of them are restarted
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
func (s Status) WithPods(pods []Status) Status {
	if s.State.Final() || s.State == Suspended || s.State == "" {
		return s
	}
	p := podsStatusOf(pods)
	switch running := s.State == Running; {
	case p.problem.Reason == "" && s.State == Submitted && p.bound:
		return Status{State: Starting, Raw: s.Raw}
	case p.problem.Reason == "":
		return s
	case running && p.restarting, !running && p.problem.State == Restarting:
		s.State, s.At = Restarting, p.problem.At
	case !running && p.problem.State == Queued:
		s.State, s.At = Queued, p.problem.At
	case !running && p.problem.State == Starting && s.State != Restarting:
		s.State, s.At = Starting, p.problem.At
	}
	s.Reason, s.Message = p.problem.Reason, p.problem.Message
	return s
}

// podsStatusOf returns what some pods show together.
func podsStatusOf(pods []Status) (all podsStatus) {
	living := 0
	restarting := 0
	for _, p := range pods {
		if p.State == "" || p.State.Final() {
			continue
		}
		living++
		if p.State == Restarting {
			restarting++
		}
		all.bound = all.bound || !p.State.Waits()
		if p.Reason == "" || routineReason(p.Reason) {
			continue
		}
		first := &all.problem
		if earlier := problemOrder(p.State) - problemOrder(first.State); first.Reason == "" || earlier < 0 || earlier == 0 && p.At.Before(first.At) {
			*first = p
		}
	}
	all.restarting = living > 0 && restarting == living
	return all
}

// problemOrder returns the place of a state in the life of a pod.
func problemOrder(s State) int {
	switch s {
	case Submitted, Queued:
		return 0
	case Starting:
		return 1
	case Restarting:
		return 2
	}
	return 3
}
