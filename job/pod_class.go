package job

// PodClass is the class of a pod among the pods of its job. PodsStatus follows from the classes of all
// pods and from the first pod with a problem, so a writer that keeps the classes need not read all
// pods.
type PodClass int16

// The classes, of which those with a problem come first, in the order in which problems count.
const (
	// NoClass pods do not count: they have ended, or their state is not known.
	NoClass PodClass = iota
	// WaitsWithProblem pods have no node, and a reason for that.
	WaitsWithProblem
	// StartsWithProblem pods cannot start on their node.
	StartsWithProblem
	// RestartsWithProblem pods are restarted, for a reason.
	RestartsWithProblem
	// OtherProblem pods have a reason in another state.
	OtherProblem
	// Waits pods have no node yet.
	Waits
	// Restarts pods are restarted, and give no reason.
	Restarts
	// Placed pods have a node.
	Placed
)

// PodClasses returns the classes of pods that count.
func PodClasses() (all []PodClass) {
	for c := WaitsWithProblem; c <= Placed; c++ {
		all = append(all, c)
	}
	return all
}

// PodClass returns the class of a pod with this status.
func (s Status) PodClass() PodClass {
	if s.State == "" || s.State.Final() {
		return NoClass
	}
	problem := s.Reason != "" && !routineReason(s.Reason)
	switch {
	case s.State.Waits() && problem:
		return WaitsWithProblem
	case s.State.Waits():
		return Waits
	case s.State == Restarting && problem:
		return RestartsWithProblem
	case s.State == Restarting:
		return Restarts
	case s.State == Starting && problem:
		return StartsWithProblem
	case problem:
		return OtherProblem
	}
	return Placed
}

// Problem reports whether pods of the class have a problem. The problem of the pods of a job is that
// of the lowest class, and in this class that of the pod that has had it for the longest time.
func (c PodClass) Problem() bool { return WaitsWithProblem <= c && c <= OtherProblem }

// Bound reports whether pods of the class have a node.
func (c PodClass) Bound() bool { return c != NoClass && c != Waits && c != WaitsWithProblem }

// Steady reports whether pods of the class count and are not restarted.
func (c PodClass) Steady() bool { return c != NoClass && c != Restarts && c != RestartsWithProblem }
