package shoutrrr

import (
	"strings"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// maxTitle is the maximum number of characters of a title.
const maxTitle = 150

// textOf returns the title and the text of a message for a service. The title is a part
// of the text if the service has no field for it.
func textOf(m *message.Message, s *service) (title, text string) {
	escape := message.NoMentions
	if s.markup {
		escape = channel.Inert
	}
	title, _ = m.TitleWithin(message.Limit{Runes: maxTitle, Escape: escape})
	if title == "" {
		title = "Vedette"
	}
	fitting := message.Fit(m, func(m *message.Message) bool {
		text = compose(m, s, title, escape)
		return utf8.RuneCountInString(text) <= s.limit
	})
	if text = compose(fitting, s, title, escape); utf8.RuneCountInString(text) > s.limit { // a very long link
		text = message.Limit{Runes: s.limit}.Cut(text)
	}
	return title, text
}

func compose(m *message.Message, s *service, title string, escape func(string) string) string {
	var lines []string
	add := func(text string) {
		if text != "" {
			lines = append(lines, escape(text))
		}
	}
	if !s.title {
		lines = append(lines, title)
	}
	add(m.Sentence)
	for _, section := range m.Sections {
		add(section.Title)
		for _, r := range section.Rows {
			add(r.Name + ", " + r.Text + ", " + r.Time)
		}
	}
	add(m.More)
	for _, f := range m.Facts {
		add(f.Label + ": " + f.Value)
	}
	add(m.Footer.Text())
	for _, address := range []string{m.URL, m.Footer.Mute.URL} {
		if address != "" {
			lines = append(lines, channel.LinkTarget(address))
		}
	}
	if len(lines) == 0 {
		return title
	}
	return strings.Join(lines, "\n")
}
