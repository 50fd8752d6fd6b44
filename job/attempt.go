package job

import (
	"iter"
	"time"
)

// ClockSlack is the maximum difference between the clocks of nodes and of the control plane.
const ClockSlack = 5 * time.Second

// Attempt is one attempt of a job: its run from its start to its end or restart.
type Attempt struct {
	Number int // from 1
	// From is when the attempt started, and To when it ended. To is that of the last span, if
	// the attempt lasts.
	From, To time.Time
	// Ran is the time in the state Running.
	Ran time.Duration
	// Over means that another state follows it. The last attempt of a job that has ended is not
	// over in its spans, because they do not have the outcome.
	Over bool
	// After and Before limit what happened in the attempt. The clocks of nodes differ, so the
	// limit of two attempts is the middle between the end of one and the start of the next. They
	// are zero for the first and the last attempt.
	After, Before time.Time
}

// Has reports whether an instant is in the attempt.
func (a *Attempt) Has(at time.Time) bool {
	return at.After(a.After) && (a.Before.IsZero() || !at.After(a.Before))
}

// Attempts returns the attempts in the spans of a life, in order. Spans with gaps that Hatch has
// marked yield the same attempts.
func Attempts(spans []Span) iter.Seq[Attempt] {
	return func(yield func(Attempt) bool) {
		var a Attempt
		for i := range spans {
			s := &spans[i]
			if s.Attempt == 0 {
				continue
			}
			if s.Attempt != a.Number {
				next := Attempt{Number: s.Attempt, From: s.From, To: s.From}
				if a.Number > 0 {
					a.Before = a.To.Add(s.From.Sub(a.To) / 2)
					if next.After = a.Before; !yield(a) {
						return
					}
				}
				a = next
			}
			a.add(s)
		}
		if a.Number > 0 {
			yield(a)
		}
	}
}

// add adds the next span.
func (a *Attempt) add(s *Span) {
	if a.Over = !s.InAttempt(); a.Over {
		return
	}
	if a.To = s.To; s.State == Running {
		a.Ran += s.length()
	}
}

// LastAttempt returns the last attempt in the spans of a life; the zero Attempt if none has begun.
func LastAttempt(spans []Span) (last Attempt) {
	for a := range Attempts(spans) {
		last = a
	}
	return last
}

// AttemptAt returns the number of the attempt that ran at an instant, or else of the one before it.
// It is at least 1.
func AttemptAt(spans []Span, at time.Time) int {
	number := 1
	for a := range Attempts(spans) {
		if !a.From.After(at) {
			number = a.Number
		}
	}
	return number
}
