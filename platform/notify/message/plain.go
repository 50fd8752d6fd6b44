package message

import (
	"strings"

	"github.com/vedette-io/vedette/internal/printable"
)

// Plain returns a message as plain text, for terminals and simple channels: title,
// sentence, facts, log, rows of a digest, one link per line, and the footer. Lines are
// wrapped at spaces to columns columns; 0 means no wrapping. Links and log lines are never
// wrapped.
func Plain(m *Message, columns int) string {
	p := page{columns: columns}
	colon, comma := ": ", ", "
	if m.Language == Chinese {
		colon, comma = "：", "，"
	}
	p.text(m.Title)
	if m.Name != "" && !strings.Contains(m.Title, m.Name) {
		p.text(m.Name)
	}
	p.text(m.Sentence)
	if len(m.Facts) > 0 {
		p.gap()
		for _, f := range m.Facts {
			value := f.Value
			if f.Note != "" {
				value += " (" + f.Note + ")"
			}
			p.text(f.Label + colon + value)
		}
	}
	if len(m.Log) > 0 {
		p.gap()
		p.text(strings.TrimSuffix(m.LogTitle+colon+m.LogNote, colon))
		for _, line := range m.Log {
			p.raw("  " + line)
		}
	}
	for _, s := range m.Sections {
		p.gap()
		p.text(s.Title)
		for _, r := range s.Rows {
			p.text("  " + strings.Join(notEmpty(r.Name, r.Owner, r.GPUs, r.Text, r.Time), comma))
		}
	}
	p.text(m.More)
	if len(m.Buttons) > 0 {
		p.gap()
		for _, b := range m.Buttons {
			p.raw(b.Text + colon + b.URL)
		}
	}
	p.gap()
	p.text(strings.TrimSpace(m.Footer.Place))
	p.text(m.Footer.Why)
	p.text(m.Footer.Note)
	for _, link := range []Link{m.Footer.Mute, m.Footer.Change} {
		if link.URL != "" {
			p.raw(link.Text + colon + link.URL)
		}
	}
	p.text(m.Footer.Zone)
	return strings.TrimSpace(p.String()) + "\n"
}

func notEmpty(all ...string) (found []string) {
	for _, text := range all {
		if text != "" && text != "–" {
			found = append(found, text)
		}
	}
	return found
}

// page collects lines of text.
type page struct {
	strings.Builder
	columns int
}

func (p *page) gap() { p.WriteString("\n") }

func (p *page) raw(line string) { p.WriteString(line + "\n") }

// text adds a text in lines of the page's width.
func (p *page) text(text string) {
	if text == "" {
		return
	}
	if p.columns <= 0 || printable.Columns(text) <= p.columns {
		p.raw(text)
		return
	}
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = indent + word
		case printable.Columns(line)+1+printable.Columns(word) > p.columns:
			p.raw(line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	p.raw(line)
}
