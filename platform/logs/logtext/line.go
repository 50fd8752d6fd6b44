package logtext

import (
	"strings"

	"github.com/vedette-io/vedette/internal/printable"
)

// Span is a part of a line with one style. Its text is escaped.
type Span struct {
	Text  string
	Style Style
}

// Spans returns a line as a terminal would show it.
func Spans(text string) (all []Span) {
	for _, c := range screenOf(text) {
		if n := len(all); n > 0 && all[n-1].Style == c.style {
			all[n-1].Text += string(c.char)
		} else {
			all = append(all, Span{string(c.char), c.style})
		}
	}
	return all
}

// Terminal returns a line for a terminal with colors.
func Terminal(text string) string {
	if !controlled(text) {
		return printable.Text(text)
	}
	var out strings.Builder
	now := Style{}
	for _, s := range Spans(text) {
		if s.Style != now {
			out.WriteString(s.Style.codes())
			now = s.Style
		}
		out.WriteString(s.Text)
	}
	if now != (Style{}) {
		out.WriteString(Style{}.codes())
	}
	return out.String()
}

// Plain returns a line for a terminal without colors.
func Plain(text string) string {
	if !controlled(text) {
		return printable.Text(text)
	}
	var out strings.Builder
	for _, s := range Spans(text) {
		out.WriteString(s.Text)
	}
	return out.String()
}

// File returns a line for a file: the control characters that Terminal and Plain
// evaluate are unchanged, and others are escaped.
func File(text string) string {
	var out strings.Builder
	for text != "" {
		n := strings.IndexAny(text, "\r\b\x1b")
		if n < 0 {
			n = len(text)
		}
		out.WriteString(printable.Text(text[:n]))
		if text = text[n:]; text == "" {
			break
		}
		_, _, kept := sequence(text)
		if text[0] != '\x1b' {
			kept = 1
		}
		if kept > 0 {
			out.WriteString(text[:kept])
		} else {
			kept = 1
			out.WriteString(printable.Text(text[:1]))
		}
		text = text[kept:]
	}
	return out.String()
}

// controlled reports whether a line has control characters that the package evaluates.
func controlled(text string) bool { return strings.ContainsAny(text, "\r\b\x1b") }

// cell is a character of a line.
type cell struct {
	char  rune
	style Style
}

// screen is a line while it is written.
type screen struct {
	cells []cell
	at    int // the cursor
	style Style
}

// screenOf writes a line.
func screenOf(text string) []cell {
	var s screen
	for text != "" {
		n := strings.IndexAny(text, "\r\b\x1b")
		if n < 0 {
			n = len(text)
		}
		s.write(printable.Text(text[:n]))
		if text = text[n:]; text == "" {
			break
		}
		switch text[0] {
		case '\r':
			s.at, text = 0, text[1:]
		case '\b':
			s.at, text = max(0, s.at-1), text[1:]
		default:
			parameters, final, n := sequence(text)
			switch {
			case n == 0:
				n = 1
				s.write(printable.Text(text[:1]))
			case final == 'm':
				s.style = s.style.after(parameters)
			default:
				s.erase(parameters)
			}
			text = text[n:]
		}
	}
	return s.cells
}

// write writes escaped text at the cursor, which may be beyond the end of the line.
func (s *screen) write(text string) {
	for _, r := range text {
		for len(s.cells) <= s.at {
			s.cells = append(s.cells, cell{char: ' '})
		}
		s.cells[s.at] = cell{r, s.style}
		s.at++
	}
}

// erase erases a part of the line: from the cursor, up to the cursor, or all of it.
func (s *screen) erase(parameters string) {
	switch parameters {
	case "1":
		for i := range s.cells[:min(s.at+1, len(s.cells))] {
			s.cells[i] = cell{char: ' '}
		}
	case "2":
		s.cells = s.cells[:0]
	default:
		s.cells = s.cells[:min(s.at, len(s.cells))]
	}
}
