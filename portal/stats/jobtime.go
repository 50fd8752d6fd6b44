package stats

import (
	"time"

	"github.com/vedette-io/vedette/record/jobindex"
	"github.com/vedette-io/vedette/state"
)

// waits reports whether a job waits in a state, for quota or for a place.
func waits(s state.State) bool { return s == state.Submitted || s == state.Queued }

// started returns when a job first ran, and how long it had waited before. The time is zero if it
// did not run.
func started(r *jobindex.Row) (at time.Time, waited time.Duration) {
	for i := range r.Life {
		s := &r.Life[i]
		if s.State == state.Running {
			return s.From, waited
		}
		if waits(s.State) && !s.To.IsZero() {
			waited += s.To.Sub(s.From)
		}
	}
	return time.Time{}, 0
}

// endOf returns when a job ended or was deleted; zero if it is open.
func endOf(r *jobindex.Row) time.Time {
	if r.Ended.IsZero() && r.State == state.Deleted {
		return r.Deleted
	}
	return r.Ended
}
