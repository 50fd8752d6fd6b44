package lifestrip

import (
	"strings"

	"github.com/vedette-io/vedette/job"
)

// MinWidth is the minimum width of a strip.
const MinWidth = 3

// Life is the life of a job.
type Life struct {
	// Spans are the states of the job in order, without the final one.
	Spans []Span
	// End is the final state; empty if the job has not ended.
	End job.State
}

// Draw returns the strip of a life: width characters, but at least MinWidth. A life
// without spans is blank up to its end.
func (s Style) Draw(l Life, width int) string {
	width = max(width, MinWidth)
	end := s.Paint(l.End, " "+s.Icon(l.End))
	room := width - 2
	if l.End == "" {
		end, room = s.edge(), width-1
	}
	all := dropShort(segments(l.Spans), room)
	if len(all) == 0 {
		return strings.Repeat(" ", room) + end
	}
	var strip strings.Builder
	for i, n := range cells(all, room) {
		glyph := appearanceOf(all[i].appearance).glyph
		if s.ASCII {
			glyph = appearanceOf(all[i].appearance).ascii
		}
		strip.WriteString(s.Paint(all[i].appearance, strings.Repeat(string(glyph), n)))
	}
	return strip.String() + end
}

// edge marks the time up to which a life is known.
func (s Style) edge() string {
	if s.ASCII {
		return "|"
	}
	return "▏"
}
