package facts

import (
	"time"

	"github.com/vedette-io/vedette/platform/notify/message"
)

// interval is a time in which a job was not watched.
type interval struct{ from, to time.Time }

// hatch cuts gaps out of the spans of a life. Spans and gaps are ordered by their
// beginnings, and gaps may overlap.
func hatch(spans []message.Span, gaps []interval) (all []message.Span) {
	for _, s := range spans {
		for _, g := range gaps {
			if !g.from.Before(s.To) || !g.to.After(s.From) {
				continue
			}
			if g.from.After(s.From) {
				before := s
				before.To = g.from
				all = append(all, before)
				s.From = g.from
			}
			missing := s
			missing.Gap = true
			if g.to.Before(s.To) {
				missing.To = g.to
			}
			all = append(all, missing)
			s.From = missing.To
		}
		if s.To.After(s.From) || len(gaps) == 0 {
			all = append(all, s)
		}
	}
	return all
}
