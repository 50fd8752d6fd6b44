package slack

import (
	"strings"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Limits in characters, and in numbers of elements.
const (
	maxHeader  = 150
	maxSection = 2900 // Slack accepts 3,000
	maxField   = 2000
	maxFields  = 10
	maxButton  = 75
	maxBlocks  = 50
	maxText    = 3900 // for notifications; Slack truncates at 40,000, and recommends 4,000
	maxLog     = 10   // lines
)

// payload is the body for an incoming webhook, or of chat.postMessage.
type payload struct {
	Channel     string       `json:"channel,omitempty"`
	Thread      string       `json:"thread_ts,omitempty"`
	Broadcast   bool         `json:"reply_broadcast,omitempty"`
	Text        string       `json:"text"`
	Blocks      []block      `json:"blocks"`
	Attachments []attachment `json:"attachments,omitempty"`
	UnfurlLinks bool         `json:"unfurl_links"`
	UnfurlMedia bool         `json:"unfurl_media"`
}

type attachment struct {
	Color    string  `json:"color"`
	Fallback string  `json:"fallback"`
	Blocks   []block `json:"blocks"`
}

// block is one of header, section, actions and context.
type block struct {
	Type     string `json:"type"`
	Text     *text  `json:"text,omitempty"`
	Fields   []text `json:"fields,omitempty"`
	Elements []any  `json:"elements,omitempty"` // button or text
}

// text is plain_text or mrkdwn. Verbatim keeps Slack from finding links and mentions.
type text struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Emoji    *bool  `json:"emoji,omitempty"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

type button struct {
	Type  string `json:"type"`
	Text  text   `json:"text"`
	URL   string `json:"url"`
	Style string `json:"style,omitempty"`
}

func plainText(content string) text {
	off := false
	return text{Type: "plain_text", Text: content, Emoji: &off}
}

func mrkdwn(content string) text { return text{Type: "mrkdwn", Text: content, Verbatim: true} }

func section(content string) block {
	t := mrkdwn(content)
	return block{Type: "section", Text: &t}
}

// render returns the payload of a message within the limits.
//
// Title and sentence are blocks of the message itself, because a mention in an attachment
// notifies nobody, and because Slack shows the field text above an attachment. The
// attachment has the state's color and the rest.
func render(m *message.Message, to channel.Receiver) *payload {
	if len(m.Log) > maxLog {
		short := *m
		short.Log = m.Log[len(m.Log)-maxLog:]
		m = &short
	}
	return draw(message.Fit(m, func(version *message.Message) bool { return draw(version, to).fits() }), to)
}

// fits reports whether Slack accepts the payload.
func (p *payload) fits() bool {
	blocks := p.Blocks
	for _, a := range p.Attachments {
		blocks = append(blocks[:len(blocks):len(blocks)], a.Blocks...)
	}
	for _, b := range blocks {
		if b.Type == "section" && b.Text != nil && utf8.RuneCountInString(b.Text.Text) > maxSection {
			return false
		}
		for _, f := range b.Fields {
			if utf8.RuneCountInString(f.Text) > maxField {
				return false
			}
		}
	}
	return len(blocks) <= maxBlocks
}

// draw returns the payload of a message of any size.
func draw(m *message.Message, to channel.Receiver) *payload {
	title, full := m.TitleWithin(message.Limit{Runes: maxHeader, Escape: plain})
	lead := escape(m.Sentence)
	if isUser(to.Address) {
		lead = strings.TrimSpace("<@" + to.Address + "> " + lead)
	}
	fallback := message.Limit{Runes: maxText, Escape: escape}.Cut(strings.TrimSpace(m.Title + " – " + m.Sentence))
	if m.Sentence == "" {
		fallback = message.Limit{Runes: maxText, Escape: escape}.Cut(m.Title)
	}
	head := plainText(title)
	p := &payload{Text: fallback, Blocks: []block{{Type: "header", Text: &head}}}
	if lead != "" {
		p.Blocks = append(p.Blocks, section(lead))
	}
	if body := bodyOf(m, full); len(body) > 0 {
		p.Attachments = []attachment{{Color: "#" + message.ColorOf(m.State).Light, Fallback: plain(m.Title), Blocks: body}}
	}
	return p
}

// bodyOf returns facts, log, sections, buttons and footer.
func bodyOf(m *message.Message, titleIsFull bool) (all []block) {
	var fields []text
	if !titleIsFull && m.Name != "" {
		fields = append(fields, field(message.Fact{Label: m.JobLabel, Value: m.Name}))
	}
	for _, f := range m.Facts {
		fields = append(fields, field(f))
	}
	if len(fields) > 0 {
		all = append(all, block{Type: "section", Fields: fields[:min(len(fields), maxFields)]})
	}
	if len(m.Log) > 0 {
		all = append(all, section(logOf(m)))
	}
	for _, s := range m.Sections {
		all = append(all, section(sectionOf(s, m.Language)))
	}
	if m.More != "" {
		all = append(all, section(escape(m.More)))
	}
	if len(m.Buttons) > 0 {
		all = append(all, block{Type: "actions", Elements: buttonsOf(m.Buttons)})
	}
	if note := channel.FooterLine(m.Footer, escape, link); note != "" {
		all = append(all, block{Type: "context", Elements: []any{mrkdwn(note)}})
	}
	return all
}

func field(f message.Fact) text {
	content := "*" + escape(f.Label) + "*\n" + escape(f.Value)
	if f.Note != "" {
		content += "\n" + escape(f.Note)
	}
	return mrkdwn(content)
}

func buttonsOf(all []message.Button) (elements []any) {
	limit := message.Limit{Runes: maxButton, Escape: plain}
	for _, b := range all {
		e := button{Type: "button", Text: plainText(limit.Cut(b.Text)), URL: b.URL}
		if b.Primary {
			e.Style = "primary"
		}
		elements = append(elements, e)
	}
	return elements
}

func logOf(m *message.Message) string {
	lines := make([]string, len(m.Log))
	for i, l := range m.Log {
		lines[i] = verbatim(l)
	}
	head := escape(strings.TrimSpace(m.LogTitle + " " + m.LogNote))
	return strings.TrimPrefix(head+"\n", "\n") + "```\n" + strings.Join(lines, "\n") + "\n```"
}

func sectionOf(s message.Section, language string) string {
	lines := []string{"*" + escape(s.Title) + "*"}
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
	return "<" + entities.Replace(channel.LinkTarget(target)) + "|" + strings.ReplaceAll(escape(label), "|", "｜") + ">"
}
