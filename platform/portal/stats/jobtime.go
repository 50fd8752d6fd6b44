package stats

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// started returns when a job first ran, and how long it had waited before. The time is zero if it
// did not run.
func started(r *jobindex.Row) (at time.Time, waited time.Duration) {
	for i := range r.Life {
		s := &r.Life[i]
		if s.State == job.Running {
			return s.From, waited
		}
		if s.State.Waits() && !s.To.IsZero() {
			waited += s.To.Sub(s.From)
		}
	}
	return time.Time{}, 0
}

// endOf returns when a job ended or was deleted; zero if it is open.
func endOf(r *jobindex.Row) time.Time {
	if r.Ended.IsZero() && r.State == job.Deleted {
		return r.Deleted
	}
	return r.Ended
}
