package job

import "time"

// Transition is a change of the state of an object.
type Transition struct {
	To     State
	At     time.Time
	Reason string // may be empty
	// Inferred means that no watch reported the transition: At is the time of an inference, or
	// of a list after a gap.
	Inferred bool
}

// Outcome returns the transition with which an object ended, and false if it has not ended. It is
// the last transition; but the deletion of an object that had ended is no outcome. all has the
// transitions of one object in the order of their versions.
func Outcome(all []Transition) (Transition, bool) {
	i := len(all) - 1
	if i < 0 || !all[i].To.Final() {
		return Transition{}, false
	}
	for i > 0 && all[i].To == Deleted && all[i-1].To.Final() {
		i--
	}
	return all[i], true
}
