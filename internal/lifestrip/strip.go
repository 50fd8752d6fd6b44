package lifestrip

import (
	"strings"

	"github.com/vedette-io/vedette/state"
)

// MinWidth is the width of the narrowest strip.
const MinWidth = 3

// Life is the life of a job.
type Life struct {
	// Spans are the states of the job, without the final one, in their order.
	Spans []Span
	// End is the state in which the job ended, empty while it has not.
	End state.State
}

// Draw returns the strip of a life: width characters, at least MinWidth. A life without spans
// is blank up to its end.
func (s Style) Draw(l Life, width int) string {
	width = max(width, MinWidth)
	end := s.Paint(l.End, " "+s.Icon(l.End))
	room := width - 2
	if l.End == "" {
		end, room = s.edge(), width-1
	}
	all := thin(segments(l.Spans), room)
	if len(all) == 0 {
		return strings.Repeat(" ", room) + end
	}
	var strip strings.Builder
	for i, n := range cells(all, room) {
		glyph := lookOf(all[i].look).glyph
		if s.ASCII {
			glyph = lookOf(all[i].look).ascii
		}
		strip.WriteString(s.Paint(all[i].look, strings.Repeat(string(glyph), n)))
	}
	return strip.String() + end
}

// edge is the moment up to which a life is known.
func (s Style) edge() string {
	if s.ASCII {
		return "|"
	}
	return "▏"
}
