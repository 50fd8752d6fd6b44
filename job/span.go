package job

import (
	"cmp"
	"slices"
	"time"
)

// Span is the time that a job spent in a state.
type Span struct {
	State State     `json:"state"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	// Gap means that the job was not observed during this time.
	Gap bool `json:"gap,omitempty"`
	// Inferred means that the beginning is inferred, not reported by a watch.
	Inferred bool `json:"-"`
	// Attempt is the number of the attempt of the span, or before the span if the job waits,
	// is on hold or restarts. It is 0 before the first attempt.
	Attempt int `json:"-"`
}

// length returns the length of a span; 0 if the job is still in its state.
func (s *Span) length() time.Duration {
	if s.To.IsZero() {
		return 0
	}
	return s.To.Sub(s.From)
}

// InAttempt reports whether a span is a part of its attempt, and not the time after it.
func (s *Span) InAttempt() bool {
	return s.Attempt > 0 && s.State != Restarting && !s.State.BeforeStart()
}

// Interval is a time from an instant to another one.
type Interval struct{ From, To time.Time }

// Hatch returns spans in which the parts within gaps have Gap set. Spans are in order, and gaps
// may overlap, in any order; Hatch sorts them. A span that a gap does not touch stays as it is.
// Gaps change no sum of a Life: a job keeps its state until the next transition.
func Hatch(spans []Span, gaps []Interval) (all []Span) {
	slices.SortFunc(gaps, func(x, y Interval) int { return cmp.Or(x.From.Compare(y.From), y.To.Compare(x.To)) })
	for _, s := range spans {
		whole := true
		for _, g := range gaps {
			if s.Gap || !g.From.Before(s.To) || !g.To.After(s.From) {
				continue
			}
			if g.From.After(s.From) {
				before := s
				before.To = g.From
				all = append(all, before)
				s.From = g.From
			}
			missing := s
			missing.Gap = true
			if g.To.Before(s.To) {
				missing.To = g.To
			}
			all = append(all, missing)
			s.From, whole = missing.To, false
		}
		if whole || s.To.After(s.From) {
			all = append(all, s)
		}
	}
	return all
}

// LastRun returns when the last run in some spans began, or zero if no span is a run.
func LastRun(spans []Span) time.Time {
	for i := len(spans) - 1; i >= 0; i-- {
		if spans[i].State == Running {
			return spans[i].From
		}
	}
	return time.Time{}
}

// LastWait returns when the wait began with which some spans end: all successive spans in which
// the job waits. It is zero if the job does not wait in the last one.
func LastWait(spans []Span) (since time.Time) {
	for i := len(spans) - 1; i >= 0 && spans[i].State.Waits(); i-- {
		since = spans[i].From
	}
	return since
}
