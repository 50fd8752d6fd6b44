package channel

import (
	"strings"

	"github.com/vedette-io/vedette/platform/notify/message"
)

// FooterLine returns the footer of a message in one line: the reason for the receiver, the
// links, the time zone, and the note. text and link convert plain text and links to the
// syntax of the channel. A link without an address is omitted.
func FooterLine(f message.Footer, text func(string) string, link func(label, target string) string) string {
	lead := f
	lead.Mute, lead.Change, lead.Zone = message.Link{}, message.Link{}, ""
	var parts []string
	for _, l := range []message.Link{f.Mute, f.Change} {
		if l.URL != "" {
			parts = append(parts, link(l.Text, l.URL))
		}
	}
	if f.Zone != "" {
		parts = append(parts, text(f.Zone))
	}
	line := strings.Join(parts, " · ")
	if why := strings.TrimSpace(lead.Text()); why != "" {
		line = strings.TrimSpace(text(why) + " " + line)
	}
	if f.Note != "" {
		line = strings.TrimSpace(line + " · " + text(f.Note))
	}
	return line
}

// RowText returns the details of a job in a digest, without its name and time: owner,
// GPUs, the reason, and a mark if it was found late.
func RowText(r message.Row, language string) string {
	comma, late := ", ", "found late"
	if language == message.Chinese {
		comma, late = "，", "补录"
	}
	var parts []string
	for _, p := range []string{r.Owner, r.GPUs, r.Text} {
		if p != "" && p != "–" {
			parts = append(parts, p)
		}
	}
	if r.Late {
		parts = append(parts, late)
	}
	return strings.Join(parts, comma)
}
