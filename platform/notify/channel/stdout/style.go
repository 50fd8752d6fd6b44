package stdout

import (
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
)

// Style determines whether text has colors. The colors are the sixteen colors of the
// terminal, so they suit its background.
type Style struct{ Color bool }

// StyleOf returns the style for a file: colors only on a terminal, without NO_COLOR, and
// unless TERM is dumb.
func StyleOf(f *os.File, getenv func(string) string) Style {
	return Style{Color: getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))}
}

const (
	bold  = "1"
	faint = "90"
)

// codes are the colors of the states.
var codes = map[job.State]string{
	job.Submitted: "90", job.Queued: "93", job.Starting: "96", job.Running: "94", job.Suspended: "37",
	job.Restarting: "95", job.Succeeded: "32", job.Failed: "91", job.Aborted: "33", job.Deleted: "90",
}

// State returns a text in the color of a state. The text is escaped.
func (s Style) State(of job.State, text string) string { return s.paint(codes[of], text) }

// Faint returns a text in gray. The text is escaped.
func (s Style) Faint(text string) string { return s.paint(faint, text) }

// Bold returns a bold text. The text is escaped.
func (s Style) Bold(text string) string { return s.paint(bold, text) }

// title returns a bold title in which the word of the state has its color.
func (s Style) title(text, word string, of job.State) string {
	before, after, ok := strings.Cut(text, word)
	if !ok || word == "" || codes[of] == "" {
		return s.Bold(text)
	}
	return s.paint(bold, before) + s.paint(bold+";"+codes[of], word) + s.paint(bold, after)
}

func (s Style) paint(code, text string) string {
	text = printable.Line(text)
	if !s.Color || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
