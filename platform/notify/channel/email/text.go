package email

import (
	"cmp"
	"strings"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// textColumns is the width of the plain text. A Han character takes two columns.
const textColumns = 72

// text returns a message as plain text, in the order of the HTML. Links have lines of
// their own, and are never wrapped.
func text(m *message.Message) string {
	var b writer
	b.paragraph(m.Place)
	b.lines(wrap(cmp.Or(m.Head, m.Title), textColumns)...)
	b.lines(wrap(m.Name, textColumns)...)
	b.gap()
	b.paragraph(m.Sentence)
	if len(m.Sections) > 0 {
		b.buttons(m)
	}
	for _, s := range m.Sections {
		b.section(s)
	}
	b.paragraph(m.More)
	b.strip(m)
	for _, f := range m.Facts {
		value := f.Value
		if f.Note != "" {
			value += " (" + f.Note + ")"
		}
		b.lines(indent(wrap(f.Label+": "+value, textColumns-2), "", "  ")...)
	}
	b.gap()
	b.log(m)
	if len(m.Sections) == 0 {
		b.buttons(m)
	}
	b.lines("-- ") // mail readers interpret this line as the beginning of a signature
	b.lines(wrap(strings.TrimSpace(m.Footer.Why+" "+m.Footer.Zone), textColumns)...)
	for _, l := range []message.Link{m.Footer.Mute, m.Footer.Change} {
		if l.URL != "" {
			b.lines(l.Text+":", l.URL)
		}
	}
	b.lines(wrap(m.Footer.Note, textColumns)...)
	return b.String()
}

// writer collects lines.
type writer struct {
	strings.Builder
	empty bool // whether the last line is empty
}

// lines writes lines that are not empty.
func (w *writer) lines(all ...string) {
	for _, l := range all {
		if l != "" {
			w.WriteString(l + "\n")
			w.empty = false
		}
	}
}

// gap writes an empty line, unless the last line is empty.
func (w *writer) gap() {
	if w.Len() > 0 && !w.empty {
		w.WriteString("\n")
		w.empty = true
	}
}

func (w *writer) paragraph(text string) {
	w.lines(wrap(text, textColumns)...)
	w.gap()
}

func (w *writer) section(s message.Section) {
	w.lines(wrap(s.Title, textColumns)...)
	for _, r := range s.Rows {
		var parts []string
		for _, part := range []string{r.Name, r.Owner, r.GPUs, r.Text, r.Time} {
			if part != "" && part != "–" {
				parts = append(parts, part)
			}
		}
		w.lines(indent(wrap(strings.Join(parts, ", "), textColumns-2), "- ", "  ")...)
		if r.URL != "" {
			w.lines("  " + r.URL)
		}
	}
	w.gap()
}

// strip writes the labels of the strip with their times.
func (w *writer) strip(m *message.Message) {
	var labels []string
	for _, s := range m.Strip {
		if s.Label != "" {
			labels = append(labels, s.Label)
		}
	}
	if m.StripEnd != "" {
		labels = append(labels, m.StripEnd)
	}
	w.paragraph(strings.Join(labels, ", "))
}

func (w *writer) log(m *message.Message) {
	if len(m.Log) == 0 {
		return
	}
	title := m.LogTitle
	if m.LogNote != "" {
		title += " (" + m.LogNote + ")"
	}
	w.lines(wrap(title, textColumns)...)
	for _, l := range m.Log {
		w.lines("  " + l)
	}
	w.gap()
}

func (w *writer) buttons(m *message.Message) {
	for _, b := range m.Buttons {
		if b.URL != "" {
			w.lines(b.Text+":", b.URL)
		}
	}
	w.gap()
}

// indent prepends one prefix to the first line, and another to the other lines.
func indent(lines []string, first, rest string) []string {
	for i := range lines {
		if i == 0 {
			lines[i] = first + lines[i]
		} else {
			lines[i] = rest + lines[i]
		}
	}
	return lines
}

// wrap breaks a text into lines of at most columns columns: at spaces, beside wide
// characters, and within words that are wider than a line. It splits no character.
func wrap(text string, columns int) (lines []string) {
	line, width := "", 0
	flush := func() {
		if trimmed := strings.TrimRight(line, " "); trimmed != "" {
			lines = append(lines, trimmed)
		}
		line, width = "", 0
	}
	for _, piece := range pieces(text) {
		n := printable.Columns(strings.TrimRight(piece, " "))
		if width > 0 && width+n > columns {
			flush()
		}
		if width == 0 {
			piece = strings.TrimLeft(piece, " ")
		}
		for n > columns {
			head, rest := split(piece, columns)
			line = head
			flush()
			piece, n = rest, printable.Columns(strings.TrimRight(rest, " "))
		}
		line += piece
		width += printable.Columns(piece)
	}
	flush()
	return lines
}

// pieces returns the unbreakable parts of a text: words with the spaces after them, and
// wide characters.
func pieces(text string) (all []string) {
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
	}
	spaces := false
	for _, r := range text {
		wide := printable.Columns(string(r)) == 2
		if spaces && r != ' ' || wide && !closing(r) {
			flush()
		}
		b.WriteRune(r)
		spaces = r == ' ' || wide
	}
	flush()
	return all
}

// closing reports whether a character must not begin a line.
func closing(r rune) bool { return strings.ContainsRune("，。；：、！？）」』”", r) }

// split returns the longest beginning of a text that fits, at least one character, and the
// rest.
func split(text string, columns int) (head, rest string) {
	width := 0
	for i, r := range text {
		width += printable.Columns(string(r))
		if width > columns && i > 0 {
			return text[:i], text[i:]
		}
	}
	return text, ""
}
