package insight

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// attempt is an attempt of a job with the cause of its end.
type attempt struct {
	job.Attempt
	first *job.Ending // the first bad ending in it; nil if none is known
}

// attemptsOf returns the attempts of a job. Without attempts, the whole life is one.
func attemptsOf(r *jobindex.Row, now time.Time) (all []attempt) {
	for a := range job.Attempts(r.Life) {
		all = append(all, attempt{Attempt: a})
	}
	if all == nil {
		all = []attempt{{}}
	}
	end := r.Ended
	if end.IsZero() {
		end = now
	}
	all[len(all)-1].Before = end.Add(job.ClockSlack)
	return all
}

// assign gives each attempt its first ending. An ending without a time belongs to the last
// attempt, if that has no other.
func assign(attempts []attempt, endings []job.Ending) {
	last := &attempts[len(attempts)-1]
	for i := range endings {
		e := &endings[i]
		for j := range attempts {
			a := &attempts[j]
			if a.Has(e.Moment()) && (a.first == nil || e.Compare(a.first) < 0) {
				a.first = e
			}
		}
	}
	for i := range endings {
		if endings[i].At.IsZero() && last.first == nil {
			last.first = &endings[i]
		}
	}
}
