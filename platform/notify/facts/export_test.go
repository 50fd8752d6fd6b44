package facts

import (
	"time"

	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// PodCause returns the cause in the body of a pod.
func PodCause(body []byte) message.Cause {
	e := job.FirstEnding(job.ParseObject(body))
	if e == nil {
		return message.Cause{}
	}
	return causeOf(e)
}

// Life returns how long a job waited and ran, its spans, and the starts of its attempts.
func Life(all []history.Transition, created, end time.Time, whole bool) (waited, ran time.Duration, spans []message.Span, attempts int) {
	l := newLife(all, created, end, whole)
	waited, _ = l.in(job.State.Waits)
	ran, _ = l.in(func(s job.State) bool { return s == job.Running })
	return waited, ran, l.spans, len(l.attempts)
}

// LastRun returns the start of the run before the last transition.
func LastRun(all []history.Transition) time.Time {
	l := newLife(all, time.Time{}, all[len(all)-1].Happened, true)
	return l.lastRun(job.State(all[len(all)-1].To) == job.Running)
}

// Hatch cuts intervals out of the spans of a life: pairs of a beginning and an end.
func Hatch(spans []message.Span, pairs ...time.Time) []message.Span {
	var gaps []interval
	for i := 0; i < len(pairs); i += 2 {
		gaps = append(gaps, interval{pairs[i], pairs[i+1]})
	}
	return hatch(spans, gaps)
}
