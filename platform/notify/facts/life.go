package facts

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// lifeOf is the life of a job until a time, with its attempts.
type lifeOf struct {
	job.Life
	attempts []job.Attempt
}

// newLife reads transitions in the order of their versions. The last state lasts until end. whole
// is set if there are no earlier transitions.
func newLife(all []history.Transition, created, end time.Time, whole bool) lifeOf {
	if !whole {
		created = time.Time{}
	}
	transitions := make([]job.Transition, len(all))
	for i := range all {
		transitions[i] = all[i].Job()
	}
	l := lifeOf{Life: job.LifeOf(created, transitions, end)}
	l.attempts = slices.Collect(job.Attempts(l.Spans))
	l.Whole = l.Whole && whole
	return l
}

// lastRun returns the start of the last run, or the zero time. If the life ends with the
// beginning of a run, that run does not count.
func (l *lifeOf) lastRun(begins bool) time.Time {
	spans := l.Spans
	if n := len(spans); begins && n > 0 && spans[n-1].State == job.Running {
		spans = spans[:n-1]
	}
	return job.LastRun(spans)
}

// waited returns how long the job waited, and whether that is known: in its last wait, or in all
// waits of a life that is known from its beginning.
func (l *lifeOf) waited(last bool) (d time.Duration, found bool) {
	if last {
		since := job.LastWait(l.Spans)
		if since.IsZero() {
			return 0, false
		}
		return l.Spans[len(l.Spans)-1].To.Sub(since), true
	}
	return l.Waited, l.Whole && slices.ContainsFunc(l.Spans, func(s job.Span) bool { return s.State.Waits() })
}

// strip returns spans for a notice.
func strip(spans []job.Span) (all []message.Span) {
	for _, s := range spans {
		all = append(all, message.Span{State: s.State, From: s.From, To: s.To, Attempt: s.Attempt, Gap: s.Gap, Inferred: s.Inferred})
	}
	return all
}
