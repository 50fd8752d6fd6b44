package facts

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// lifeOf is the life of a job until a time, from its transitions.
type lifeOf struct {
	spans    []message.Span
	attempts []time.Time // start of each attempt
	restarts []time.Time // end of each attempt except the last
	whole    bool        // known from its beginning
}

// newLife reads transitions in the order of their versions. The last state lasts until
// end. whole is set if there are no earlier transitions. Clocks differ: if a transition
// seems to precede its predecessor, both get the same time.
func newLife(all []history.Transition, created, end time.Time, whole bool) lifeOf {
	l := lifeOf{whole: whole && len(all) > 0}
	var ended time.Time // end of the last attempt, if the next one has not begun
	for i, t := range all {
		from := t.Happened
		if i == 0 && whole && job.State(t.To).Waits() && !created.IsZero() && created.Before(from) {
			from = created
		}
		if i == 0 && !job.State(t.To).Waits() && job.State(t.To) != job.Starting {
			l.whole = false // it already ran when it was first seen
		}
		to := end
		if i+1 < len(all) {
			to = all[i+1].Happened
		}
		if n := len(l.spans); n > 0 && from.Before(l.spans[n-1].To) {
			from = l.spans[n-1].To
		}
		if to.Before(from) {
			to = from
		}
		s := job.State(t.To)
		switch {
		case s == job.Restarting && ended.IsZero():
			if len(l.attempts) == 0 { // the first attempt was not seen
				l.attempts = append(l.attempts, from)
			}
			ended = from
		case (s == job.Starting || s == job.Running) && len(l.attempts) == 0:
			l.attempts = append(l.attempts, from)
		case (s == job.Starting || s == job.Running) && !ended.IsZero():
			l.attempts, l.restarts = append(l.attempts, from), append(l.restarts, ended)
			ended = time.Time{}
		}
		if s.Final() { // an aborted job of Volcano may continue
			continue
		}
		l.spans = append(l.spans, message.Span{State: s, From: from, To: to, Attempt: len(l.attempts), Inferred: t.Source == history.Inferred || t.Source == history.Relisted})
	}
	return l
}

// lastRun returns the start of the last run, or the zero time. If the life ends with the
// beginning of a run, that run does not count.
func (l *lifeOf) lastRun(begins bool) time.Time {
	spans := l.spans
	if n := len(spans); begins && n > 0 && spans[n-1].State == job.Running {
		spans = spans[:n-1]
	}
	for i := len(spans) - 1; i >= 0; i-- {
		if spans[i].State == job.Running {
			return spans[i].From
		}
	}
	return time.Time{}
}

// in returns how long the job was in the selected states.
func (l *lifeOf) in(these func(job.State) bool) (d time.Duration, found bool) {
	for _, s := range l.spans {
		if these(s.State) {
			d += s.To.Sub(s.From)
			found = true
		}
	}
	return d, found
}

// lastWait returns the length of the last wait: all successive states in which the job
// waits.
func (l *lifeOf) lastWait() (d time.Duration, found bool) {
	for i := len(l.spans) - 1; i >= 0 && l.spans[i].State.Waits(); i-- {
		d += l.spans[i].To.Sub(l.spans[i].From)
		found = true
	}
	return d, found
}

// attemptAt returns the number of the attempt, from 1, that ran at a time.
func (l *lifeOf) attemptAt(at time.Time) int {
	n := 0
	for n < len(l.attempts) && !l.attempts[n].After(at) {
		n++
	}
	return max(n, 1)
}
