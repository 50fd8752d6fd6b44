package history

import (
	"cmp"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
)

// Span is the time that a job spent in a state.
type Span struct {
	State job.State `json:"state"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	// Gap means that the job was not observed during this time.
	Gap bool `json:"gap,omitempty"`
	// Inferred means that the beginning is inferred, not reported by a watch.
	Inferred bool `json:"-"`
	// Attempt is the number of the attempt of the span, from 1. It is 0 before the first
	// attempt.
	Attempt int `json:"-"`
}

// JobLife is the life of a job up to a moment.
type JobLife struct {
	// Spans are the states of the job except the final one, in order.
	Spans []Span
	// Waited is the total time in the states Submitted and Queued, and Ran is the total
	// time in the state Running.
	Waited, Ran time.Duration
	// Tries is the number of attempts that have begun, at least 1.
	Tries int
}

// Entry is a change of the state of a job.
type Entry struct {
	To       job.State
	At       time.Time
	Inferred bool // At is the time of an inference
}

// LifeOf returns the life of a job from its creation time and its transitions, in order.
// The last span lasts until end. Clocks differ: a transition that seems to precede the
// previous one counts as simultaneous.
func LifeOf(created time.Time, entries []Entry, end time.Time) JobLife {
	var l JobLife
	l.Reset(created, entries, end)
	return l
}

// Reset sets l to the result of LifeOf. It reuses the array of l.Spans.
func (l *JobLife) Reset(created time.Time, entries []Entry, end time.Time) {
	*l = JobLife{Spans: l.Spans[:0], Tries: 1}
	attempt := 0
	again := false // an attempt has ended, and the next one has not begun
	for i, e := range entries {
		from, to := e.At, end
		if i+1 < len(entries) {
			to = entries[i+1].At
		}
		if i == 0 && created.Before(from) && !created.IsZero() {
			if e.To.Waits() {
				from = created
			} else if from.Sub(created) >= time.Second { // the earlier states were not observed
				l.Spans = append(l.Spans, Span{From: created, To: from, Gap: true})
			}
		}
		if n := len(l.Spans); n > 0 && from.Before(l.Spans[n-1].To) {
			from = l.Spans[n-1].To
		}
		if to.Before(from) {
			to = from
		}
		switch {
		case e.To == job.Restarting:
			again = true
		case e.To == job.Starting || e.To == job.Running:
			if again {
				l.Tries, again = l.Tries+1, false
			}
			attempt = l.Tries
		}
		switch {
		case e.To.Final(): // an aborted job of Volcano may continue
			continue
		case e.To.Waits():
			l.Waited += to.Sub(from)
		case e.To == job.Running:
			l.Ran += to.Sub(from)
		}
		l.Spans = append(l.Spans, Span{State: e.To, From: from, To: to, Inferred: e.Inferred, Attempt: attempt})
	}
}

// interval is a time during which a type was not watched.
type interval struct{ from, to time.Time }

// Hatch returns spans in which the times of gaps are replaced by spans with Gap set. A
// lasting gap ends now. The gaps must be those of the type, the cluster and the namespace
// of the job.
func Hatch(spans []Span, gaps []Gap, now time.Time) []Span {
	missing := make([]interval, len(gaps))
	for i := range gaps {
		missing[i] = interval{gaps[i].Began, gaps[i].Ended}
		if missing[i].to.IsZero() {
			missing[i].to = now
		}
	}
	return hatch(spans, missing)
}

// hatch replaces intervals within spans by gaps.
func hatch(spans []Span, missing []interval) (all []Span) {
	slices.SortFunc(missing, func(x, y interval) int { return cmp.Or(x.from.Compare(y.from), y.to.Compare(x.to)) })
	for _, s := range spans {
		whole := true
		for _, m := range missing {
			if s.Gap || !m.from.Before(s.To) || !m.to.After(s.From) {
				continue
			}
			if m.from.After(s.From) {
				before := s
				before.To = m.from
				all = append(all, before)
				s.From = m.from
			}
			cut := s
			cut.Gap = true
			if m.to.Before(s.To) {
				cut.To = m.to
			}
			all = append(all, cut)
			s.From, whole = cut.To, false
		}
		if whole || s.To.After(s.From) {
			all = append(all, s)
		}
	}
	return all
}
