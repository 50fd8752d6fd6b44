package dingtalk

import (
	"strings"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Limits of a message.
const (
	maxTitle = 60       // columns
	maxText  = 3400     // characters
	maxBody  = 18 << 10 // bytes; DingTalk accepts 20,000
	maxLog   = 5        // lines
	maxPhone = 20       // digits
)

// body is the body of a request to a custom robot.
type body struct {
	Type     string      `json:"msgtype"`
	Card     *actionCard `json:"actionCard,omitempty"`
	Markdown *markdown   `json:"markdown,omitempty"`
	At       at          `json:"at"`
}

type actionCard struct {
	Title       string   `json:"title"`
	Text        string   `json:"text"`
	Orientation string   `json:"btnOrientation"`
	Buttons     []button `json:"btns"`
}

type button struct {
	Title string `json:"title"`
	URL   string `json:"actionURL"`
}

type markdown struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

type at struct {
	Mobiles []string `json:"atMobiles,omitempty"`
	All     bool     `json:"isAtAll"`
}

// render returns the body for a message within the limits.
func render(m *message.Message, to channel.Receiver) *body {
	if len(m.Log) > maxLog {
		short := *m
		short.Log = m.Log[len(m.Log)-maxLog:]
		m = &short
	}
	return draw(message.Fit(m, func(version *message.Message) bool {
		b := draw(version, to)
		payload, err := channel.Payload(b)
		return err == nil && len(payload) <= maxBody && utf8.RuneCountInString(b.text()) <= maxText
	}), to)
}

func (b *body) text() string {
	if b.Card != nil {
		return b.Card.Text
	}
	return b.Markdown.Text
}

// draw returns the body for a message of any size. A digest, and a message without
// buttons, is Markdown, because a card must have a button.
func draw(m *message.Message, to channel.Receiver) *body {
	title, full := m.TitleWithin(message.Limit{Columns: maxTitle})
	b := &body{}
	number := mobile(to.Address)
	if number != "" {
		b.At.Mobiles = []string{number}
	}
	digest := m.Kind == message.Digest
	text := textOf(m, title, full, number, digest)
	if digest || len(m.Buttons) == 0 {
		b.Type, b.Markdown = "markdown", &markdown{channel.Inert(title), text}
		return b
	}
	b.Type, b.Card = "actionCard", &actionCard{Title: channel.Inert(title), Text: text, Orientation: "1"}
	for _, l := range m.Buttons {
		b.Card.Buttons = append(b.Card.Buttons, button{message.NoMentions(l.Text), l.URL})
	}
	return b
}

// mobile returns the number to mention, or "" if the address is not a number.
func mobile(address string) string {
	digits := strings.TrimPrefix(address, "+")
	if digits == "" || len(digits) > maxPhone || strings.Trim(digits, "0123456789-") != "" {
		return ""
	}
	return address
}

func textOf(m *message.Message, title string, full bool, number string, digest bool) string {
	parts := []string{"### " + colored(m, title)}
	if lead := channel.Inert(m.Sentence); lead != "" || number != "" {
		if number != "" {
			lead = strings.TrimSpace("@" + number + " " + lead)
		}
		parts = append(parts, lead)
	}
	var facts []string
	if !full && m.Name != "" {
		facts = append(facts, fact(message.Fact{Label: m.JobLabel, Value: m.Name}))
	}
	for _, f := range m.Facts {
		facts = append(facts, fact(f))
	}
	parts = append(parts, strings.Join(facts, "\n"))
	if len(m.Log) > 0 {
		parts = append(parts, logOf(m))
	}
	for _, s := range m.Sections {
		parts = append(parts, sectionOf(s, m.Language))
	}
	parts = append(parts, channel.Inert(m.More))
	if digest {
		var links []string
		for _, l := range m.Buttons {
			links = append(links, link(l.Text, l.URL))
		}
		parts = append(parts, strings.Join(links, " "))
	}
	return joined(append(parts, channel.FooterLine(m.Footer, channel.Inert, link)))
}

// joined joins the parts that are not empty as paragraphs.
func joined(parts []string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "\n\n")
}

// colored returns the title with the state and the reason in the state's color.
func colored(m *message.Message, title string) string {
	head, rest := title, ""
	if after, ok := strings.CutPrefix(title, m.Head); ok && m.Head != "" {
		head, rest = m.Head, after
	}
	return "<font color=#" + message.ColorOf(m.State).Light + ">" + channel.Inert(head) + "</font>" + channel.Inert(rest)
}

func fact(f message.Fact) string {
	line := "- **" + channel.Inert(f.Label) + "** " + channel.Inert(f.Value)
	if f.Note != "" {
		line += " <font color=#" + message.Light.Text3 + ">" + channel.Inert(f.Note) + "</font>"
	}
	return line
}

// logOf returns the log as a quote. Two trailing spaces break a line.
func logOf(m *message.Message) string {
	lines := []string{}
	if head := strings.TrimSpace(m.LogTitle + " " + m.LogNote); head != "" {
		lines = append(lines, channel.Inert(head))
	}
	for _, l := range m.Log {
		lines = append(lines, "> "+channel.Inert(l)+"  ")
	}
	return strings.Join(lines, "\n\n")
}

func sectionOf(s message.Section, language string) string {
	lines := []string{"**<font color=#" + message.ColorOf(s.State).Light + ">" + channel.Inert(s.Title) + "</font>**"}
	for _, r := range s.Rows {
		var line strings.Builder
		line.WriteString("- " + link(r.Name, r.URL))
		for _, part := range []string{channel.RowText(r, language), r.Time} {
			if part != "" {
				line.WriteString(" " + channel.Inert(part))
			}
		}
		lines = append(lines, line.String())
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
