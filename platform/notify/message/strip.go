package message

import (
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
)

// minLabel is the minimum share of a strip for a label.
const minLabel = 0.15

// strip returns the life of a job as segments of a bar, and the time at its end.
func (s *speaker) strip() (all []Segment, end string) {
	spans := s.n.Life
	if len(spans) == 0 {
		return nil, ""
	}
	from, to := spans[0].From, spans[len(spans)-1].To
	whole := to.Sub(from)
	if from.IsZero() || whole <= 0 {
		return nil, ""
	}
	labelEnd, attempt := 0.0, 0
	for _, span := range spans {
		length := span.To.Sub(span.From)
		if length <= 0 || span.From.Before(from) || span.To.After(to) {
			continue
		}
		segment := Segment{State: span.State, Share: float64(length) / float64(whole), Gap: span.Gap, Holds: holds(span.State) && !span.Gap}
		text := ""
		switch {
		case span.Gap:
		case segment.Holds && span.State != job.Restarting && span.Attempt > attempt:
			attempt = span.Attempt
			text = s.with(map[string]string{"attempt": s.words.number(attempt)}).say(s.words.attempt)
		case !segment.Holds:
			text = strings.ToLower(s.stateWord(span.State))
		}
		start := float64(span.From.Sub(from)) / float64(whole)
		if text != "" && start >= labelEnd && start <= 1-minLabel && (segment.Holds || segment.Share >= minLabel) {
			segment.Label = s.clock.timeOfDay(span.From) + " " + text
			labelEnd = start + minLabel
		}
		all = append(all, segment)
	}
	return all, s.clock.timeOfDay(to)
}

// holds reports whether a job in the state holds its GPUs.
func holds(s job.State) bool {
	return s == job.Starting || s == job.Running || s == job.Restarting
}

// timeOfDay returns a time without a date: a strip has no room for one.
func (c clock) timeOfDay(t time.Time) string { return t.In(c.location).Format("15:04") }
