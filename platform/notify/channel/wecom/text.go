package wecom

import (
	"strings"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// maxText is the maximum size of Markdown in bytes; WeCom accepts 4,096.
const maxText = 3900

// textWithin returns a message as Markdown within the limits, without a log.
func textWithin(m *message.Message, to channel.Receiver) string {
	if len(m.Log) > 0 {
		short := *m
		short.Log = nil
		m = &short
	}
	return textOf(message.Fit(m, func(version *message.Message) bool { return len(textOf(version, to)) <= maxText }), to)
}

// textOf returns a message of any size as Markdown.
func textOf(m *message.Message, to channel.Receiver) string {
	lines := []string{"**" + titleOf(m) + "**"}
	lead := channel.Inert(m.Sentence)
	if channel.CheckMention(to.Address) == nil {
		lead = strings.TrimSpace("<@" + to.Address + "> " + lead)
	}
	lines = append(lines, lead)
	for _, f := range m.Facts {
		line := ">" + channel.Inert(f.Label) + " " + channel.Inert(f.Value)
		if f.Note != "" {
			line += " " + comment(f.Note)
		}
		lines = append(lines, line)
	}
	for _, s := range m.Sections {
		lines = append(lines, sectionOf(s, m.Language))
	}
	lines = append(lines, channel.Inert(m.More))
	var links []string
	for _, b := range m.Buttons {
		links = append(links, link(b.Text, b.URL))
	}
	return joined(append(lines, strings.Join(links, " "), channel.FooterLine(m.Footer, channel.Inert, link)))
}

// joined joins the lines that are not empty.
func joined(lines []string) string {
	var kept []string
	for _, l := range lines {
		if l != "" {
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// titleOf returns the title with the state and the reason in color.
func titleOf(m *message.Message) string {
	if after, ok := strings.CutPrefix(m.Title, m.Head); ok && m.Head != "" {
		return colored(m.State, m.Head) + channel.Inert(after)
	}
	return colored(m.State, m.Title)
}

// colored returns text in the color of a state. WeCom has only two colors.
func colored(s job.State, text string) string {
	switch s {
	case job.Failed:
		return `<font color="warning">` + channel.Inert(text) + "</font>"
	case job.Succeeded:
		return `<font color="info">` + channel.Inert(text) + "</font>"
	}
	return channel.Inert(text)
}

// comment returns text in gray.
func comment(text string) string {
	return `<font color="comment">` + channel.Inert(text) + "</font>"
}

func sectionOf(s message.Section, language string) string {
	lines := []string{"**" + colored(s.State, s.Title) + "**"}
	for _, r := range s.Rows {
		line := ">" + link(r.Name, r.URL)
		if text := channel.RowText(r, language); text != "" {
			line += " " + channel.Inert(text)
		}
		if r.Time != "" {
			line += " " + comment(r.Time)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// link returns a link, or only its text if there is no address.
func link(label, target string) string {
	if target == "" {
		return channel.Inert(label)
	}
	return "[" + channel.Inert(label) + "](" + channel.LinkTarget(target) + ")"
}
