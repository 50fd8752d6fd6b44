package stats

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// endOf returns when a job ended or was deleted; zero if it is open.
func endOf(r *jobindex.Row) time.Time {
	if r.Ended.IsZero() && r.State == job.Deleted {
		return r.Deleted
	}
	return r.Ended
}
