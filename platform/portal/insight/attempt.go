package insight

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// slack is the maximum difference between the clocks of nodes and of the control plane.
const slack = 5 * time.Second

// attempt is the time of one attempt of a job.
type attempt struct {
	from, to time.Time
	first    *job.Ending // the first bad ending in it; nil if none is known
}

// attemptsOf returns the times of the attempts of a job. An attempt ends between the recorded
// restart of the job and the next start; the middle tolerates different clocks.
func attemptsOf(r *jobindex.Row, now time.Time) []attempt {
	all := []attempt{{}} // clocks differ, so the first attempt has no beginning
	var restarted time.Time
	for _, span := range r.Life {
		switch {
		case span.State == job.Restarting && restarted.IsZero():
			restarted = span.From
		case (span.State == job.Starting || span.State == job.Running) && !restarted.IsZero():
			border := restarted.Add(span.From.Sub(restarted) / 2)
			all[len(all)-1].to = border
			all = append(all, attempt{from: border})
			restarted = time.Time{}
		}
	}
	end := r.Ended
	if end.IsZero() {
		end = now
	}
	all[len(all)-1].to = end.Add(slack)
	return all
}

// has reports whether an ending is in the attempt.
func (a *attempt) has(e *job.Ending) bool {
	at := e.Moment()
	return at.After(a.from) && !at.After(a.to)
}

// assign gives each attempt its first ending. An ending without a time belongs to the last
// attempt, if that has no other.
func assign(attempts []attempt, endings []job.Ending) {
	last := &attempts[len(attempts)-1]
	for i := range endings {
		e := &endings[i]
		for j := range attempts {
			a := &attempts[j]
			if a.has(e) && (a.first == nil || e.Compare(a.first) < 0) {
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
