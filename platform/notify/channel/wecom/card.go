package wecom

import (
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Limits of a card. WeCom counts characters. The limits are its recommendations for Han
// characters, which have two columns.
const (
	maxCardTitle = 2 * 26
	maxCardDesc  = 2 * 30
	maxCardText  = 2 * 112
	maxFactLabel = 2 * 5
	maxFactValue = 2 * 26
	maxFacts     = 6
	maxJumps     = 3
	maxJumpTitle = 2 * 13
	maxSource    = 2 * 13
	maxQuote     = 512 // bytes
)

// body is the body of a request to a group's robot.
type body struct {
	Type     string    `json:"msgtype"`
	Markdown *markdown `json:"markdown,omitempty"`
	Card     *card     `json:"template_card,omitempty"`
}

type markdown struct {
	Content string `json:"content"`
}

// card is a template card of the type text_notice.
type card struct {
	Type   string     `json:"card_type"`
	Source source     `json:"source"`
	Title  title      `json:"main_title"`
	Quote  *quote     `json:"quote_area,omitempty"`
	Text   string     `json:"sub_title_text,omitempty"`
	Facts  []fact     `json:"horizontal_content_list,omitempty"`
	Jumps  []jump     `json:"jump_list,omitempty"`
	Action cardAction `json:"card_action"`
}

type source struct {
	Desc  string `json:"desc"`
	Color int    `json:"desc_color"`
}

type title struct {
	Title string `json:"title"`
	Desc  string `json:"desc,omitempty"`
}

type quote struct {
	Type int    `json:"type"`
	Text string `json:"quote_text"`
}

type fact struct {
	Label string `json:"keyname"`
	Value string `json:"value"`
}

type jump struct {
	Type  int    `json:"type"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

type cardAction struct {
	Type int    `json:"type"`
	URL  string `json:"url"`
}

// sourceColor returns the color of the source: 2 is red, 3 green, 0 gray.
func sourceColor(s job.State) int {
	switch s {
	case job.Failed:
		return 2
	case job.Succeeded:
		return 3
	}
	return 0
}

// render returns the body for a message within the limits. A card has no mentions and no
// room for a digest, and must open a page; all other messages are Markdown.
func render(m *message.Message, to channel.Receiver) *body {
	if m.Kind == message.Digest || m.URL == "" || channel.CheckMention(to.Address) == nil {
		return &body{Type: "markdown", Markdown: &markdown{Content: textWithin(m, to)}}
	}
	return &body{Type: "template_card", Card: cardOf(m)}
}

func cardOf(m *message.Message) *card {
	head := m.Head
	if head == "" {
		head = m.Title
	}
	word := m.StateWord
	if word == "" {
		word = "Vedette"
	}
	plain := func(text string, columns int) string {
		return message.Limit{Columns: columns, Escape: message.NoMentions}.Cut(text)
	}
	c := &card{
		Type: "text_notice", Source: source{plain(word, maxSource), sourceColor(m.State)},
		Title:  title{plain(head, maxCardTitle), message.Limit{Columns: maxCardDesc, Escape: message.NoMentions}.CutMiddle(m.Name)},
		Text:   plain(sentence(m, maxCardText), maxCardText),
		Action: cardAction{1, m.URL},
	}
	if printable.Columns(m.Name) > maxCardDesc {
		c.Quote = &quote{Text: message.Limit{Bytes: maxQuote, Escape: message.NoMentions}.Cut(m.Name)}
	}
	for _, f := range m.Facts[:min(len(m.Facts), maxFacts)] {
		c.Facts = append(c.Facts, fact{plain(f.Label, maxFactLabel), plain(f.Value, maxFactValue)})
	}
	c.Jumps = jumps(m)
	return c
}

// sentence returns the sentence, without its optional parts if it is too long.
func sentence(m *message.Message, columns int) string {
	if printable.Columns(m.Sentence) > columns && m.ShortSentence != "" {
		return m.ShortSentence
	}
	return m.Sentence
}

// jumps returns the links below the card: the buttons, except for the page that the card
// opens, and the mute, which is never left out.
func jumps(m *message.Message) (all []jump) {
	last := maxJumps
	if m.Footer.Mute.URL != "" {
		last--
	}
	limit := message.Limit{Columns: maxJumpTitle, Escape: message.NoMentions}
	for _, b := range m.Buttons {
		if b.URL != m.URL && b.URL != "" && len(all) < last {
			all = append(all, jump{1, b.URL, limit.Cut(b.Text)})
		}
	}
	if m.Footer.Mute.URL != "" {
		all = append(all, jump{1, m.Footer.Mute.URL, limit.Cut(m.Footer.Mute.Text)})
	}
	return all
}
