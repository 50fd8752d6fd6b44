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

// Life is the life of a job in a message.
type Life = lifeOf

// NewLife returns the life of a job until a time.
func NewLife(all []history.Transition, created, end time.Time, whole bool) Life {
	return newLife(all, created, end, whole)
}

// WaitedIn returns how long a job waited, and whether that is known.
func WaitedIn(l *Life, last bool) (time.Duration, bool) { return l.waited(last) }

// LastRun returns the start of the run before the last transition.
func LastRun(all []history.Transition) time.Time {
	l := newLife(all, time.Time{}, all[len(all)-1].Happened, true)
	return l.lastRun(job.State(all[len(all)-1].To) == job.Running)
}
