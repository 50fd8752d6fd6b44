package feishu

import (
	"strings"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Limits of a card.
const (
	maxTitle = 60       // columns
	maxCard  = 18 << 10 // bytes; Feishu accepts 20 KB with the signature
	maxLog   = 10       // lines
)

// card is a card of Feishu in version 1.0.
type card struct {
	Config   config    `json:"config"`
	Header   header    `json:"header"`
	Elements []element `json:"elements"`
}

type config struct {
	Wide bool `json:"wide_screen_mode"`
}

type header struct {
	Template string `json:"template"`
	Title    text   `json:"title"`
}

// text is a text with the tag plain_text or lark_md.
type text struct {
	Tag     string `json:"tag"`
	Content string `json:"content"`
}

// element is one of div, markdown, action, hr and note.
type element struct {
	Tag      string   `json:"tag"`
	Text     *text    `json:"text,omitempty"`
	Fields   []field  `json:"fields,omitempty"`
	Content  string   `json:"content,omitempty"`
	Actions  []button `json:"actions,omitempty"`
	Elements []text   `json:"elements,omitempty"`
}

type field struct {
	Short bool `json:"is_short"`
	Text  text `json:"text"`
}

type button struct {
	Tag  string `json:"tag"`
	Text text   `json:"text"`
	URL  string `json:"url"`
	Type string `json:"type"`
}

// templates are the colors of headers.
var templates = map[job.State]string{
	job.Submitted: "grey", job.Queued: "yellow", job.Starting: "wathet", job.Running: "blue", job.Suspended: "indigo",
	job.Restarting: "purple", job.Succeeded: "green", job.Failed: "red", job.Aborted: "orange", job.Deleted: "grey",
}

func template(m *message.Message) string {
	if t, ok := templates[m.State]; ok {
		return t
	}
	if m.Kind == message.Test {
		return "default"
	}
	return "grey"
}

// render returns the card of a message within the limits.
func render(m *message.Message, to channel.Receiver) *card {
	if len(m.Log) > maxLog {
		short := *m
		short.Log = m.Log[len(m.Log)-maxLog:]
		m = &short
	}
	return draw(message.Fit(m, func(version *message.Message) bool {
		body, err := channel.Payload(draw(version, to))
		return err == nil && len(body) <= maxCard
	}), to)
}

// draw returns the card of a message of any size.
func draw(m *message.Message, to channel.Receiver) *card {
	title, full := m.TitleWithin(message.Limit{Columns: maxTitle, Escape: message.NoMentions})
	c := &card{Config: config{Wide: true}, Header: header{Template: template(m), Title: text{"plain_text", title}}}
	if lead := strings.TrimSpace(mention(to) + " " + escape(m.Sentence)); lead != "" {
		c.add(element{Tag: "div", Text: &text{"lark_md", lead}})
	}
	if fields := fieldsOf(m, full); len(fields) > 0 {
		c.add(element{Tag: "div", Fields: fields})
	}
	if len(m.Log) > 0 {
		c.add(element{Tag: "markdown", Content: logOf(m)})
	}
	for _, s := range m.Sections {
		c.add(element{Tag: "div", Text: &text{"lark_md", sectionOf(s, m.Language)}})
	}
	if m.More != "" {
		c.add(element{Tag: "div", Text: &text{"lark_md", escape(m.More)}})
	}
	var buttons []button
	for _, b := range m.Buttons {
		kind := "default"
		if b.Primary {
			kind = "primary"
		}
		buttons = append(buttons, button{"button", text{"plain_text", message.NoMentions(b.Text)}, b.URL, kind})
	}
	if len(buttons) > 0 {
		c.add(element{Tag: "action", Actions: buttons})
	}
	if note := channel.FooterLine(m.Footer, escape, link); note != "" {
		c.add(element{Tag: "hr"})
		c.add(element{Tag: "note", Elements: []text{{"lark_md", note}}})
	}
	return c
}

func (c *card) add(e element) { c.Elements = append(c.Elements, e) }

// mention returns the markup that mentions the receiver, "" without a valid address.
func mention(to channel.Receiver) string {
	if channel.CheckMention(to.Address) != nil {
		return ""
	}
	if strings.Contains(to.Address, "@") {
		return "<at email=" + to.Address + "></at>"
	}
	return "<at id=" + to.Address + "></at>"
}

func fieldsOf(m *message.Message, titleIsFull bool) (fields []field) {
	if !titleIsFull && m.Name != "" {
		fields = append(fields, field{Text: pair(m.JobLabel, m.Name, "")})
	}
	for _, f := range m.Facts {
		fields = append(fields, field{Short: true, Text: pair(f.Label, f.Value, f.Note)})
	}
	return fields
}

// pair returns a label above its value.
func pair(label, value, note string) text {
	content := "<font color='grey'>" + escape(label) + "</font>\n" + escape(value)
	if note != "" {
		content += "\n<font color='grey'>" + escape(note) + "</font>"
	}
	return text{"lark_md", content}
}

func logOf(m *message.Message) string {
	var b strings.Builder
	b.WriteString(escape(strings.TrimSpace(m.LogTitle + " " + m.LogNote)))
	b.WriteString("\n```\n")
	for _, line := range m.Log {
		b.WriteString(verbatim(line))
		b.WriteString("\n")
	}
	b.WriteString("```")
	return strings.TrimPrefix(b.String(), "\n")
}

func sectionOf(s message.Section, language string) string {
	lines := []string{"**" + escape(s.Title) + "**"}
	for _, r := range s.Rows {
		var line strings.Builder
		line.WriteString(link(r.Name, r.URL))
		for _, part := range []string{channel.RowText(r, language), r.Time} {
			if part != "" {
				line.WriteString(" " + escape(part))
			}
		}
		lines = append(lines, line.String())
	}
	return strings.Join(lines, "\n")
}

// link returns a link, or only its text if there is no address.
func link(label, target string) string {
	if target == "" {
		return escape(label)
	}
	return "[" + escape(label) + "](" + channel.LinkTarget(target) + ")"
}
