package teams

import (
	"strings"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Limits of a card.
const (
	maxTitle = 150      // columns
	maxBody  = 24 << 10 // bytes; Teams accepts 28 KB
	maxLog   = 10       // lines
	maxName  = 64       // columns of a mention
)

// body is the body of a request.
type body struct {
	Type        string       `json:"type"`
	Attachments []attachment `json:"attachments"`
}

type attachment struct {
	Type    string  `json:"contentType"`
	URL     *string `json:"contentUrl"` // always null
	Content card    `json:"content"`
}

// card is an Adaptive Card.
type card struct {
	Schema  string    `json:"$schema"`
	Type    string    `json:"type"`
	Version string    `json:"version"`
	Teams   settings  `json:"msteams"`
	Body    []element `json:"body"`
	Actions []action  `json:"actions,omitempty"`
}

type settings struct {
	Width    string   `json:"width"`
	Entities []entity `json:"entities,omitempty"`
}

// entity is a mention: Text stands in a TextBlock.
type entity struct {
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	Mentioned mentioned `json:"mentioned"`
}

type mentioned struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// element is one of Container, RichTextBlock, TextBlock and FactSet.
type element struct {
	Type      string    `json:"type"`
	Style     string    `json:"style,omitempty"`
	Bleed     bool      `json:"bleed,omitempty"`
	Items     []element `json:"items,omitempty"`
	Inlines   []run     `json:"inlines,omitempty"`
	Facts     []fact    `json:"facts,omitempty"`
	Text      string    `json:"text,omitempty"`
	Wrap      bool      `json:"wrap,omitempty"`
	Spacing   string    `json:"spacing,omitempty"`
	Separator bool      `json:"separator,omitempty"`
}

// run is a TextRun, in which Teams parses no markup.
type run struct {
	Type   string  `json:"type"`
	Text   string  `json:"text"`
	Size   string  `json:"size,omitempty"`
	Weight string  `json:"weight,omitempty"`
	Subtle bool    `json:"isSubtle,omitempty"`
	Font   string  `json:"fontType,omitempty"`
	Select *action `json:"selectAction,omitempty"`
}

type fact struct {
	Title string `json:"title"`
	Value string `json:"value"`
}

type action struct {
	Type  string `json:"type"`
	Title string `json:"title,omitempty"`
	URL   string `json:"url"`
}

// styles are the backgrounds of the container with the title.
var styles = map[job.State]string{job.Failed: "attention", job.Succeeded: "good", job.Queued: "warning", job.Running: "accent"}

func style(s job.State) string {
	if name, ok := styles[s]; ok {
		return name
	}
	return "emphasis"
}

// render returns the body for a message within the limits.
func render(m *message.Message, to channel.Receiver) *body {
	if len(m.Log) > maxLog {
		short := *m
		short.Log = m.Log[len(m.Log)-maxLog:]
		m = &short
	}
	return wrap(draw(message.Fit(m, func(version *message.Message) bool {
		payload, err := channel.Payload(wrap(draw(version, to)))
		return err == nil && len(payload) <= maxBody
	}), to))
}

func wrap(c card) *body {
	return &body{"message", []attachment{{Type: "application/vnd.microsoft.card.adaptive", Content: c}}}
}

// draw returns the card of a message of any size.
func draw(m *message.Message, to channel.Receiver) card {
	title, full := m.TitleWithin(message.Limit{Columns: maxTitle, Escape: clean})
	c := card{
		Schema: "http://adaptivecards.io/schemas/adaptive-card.json", Type: "AdaptiveCard", Version: "1.4", Teams: settings{Width: "Full"},
		Body: []element{{Type: "Container", Style: style(m.State), Bleed: true, Items: []element{
			rich(run{Type: "TextRun", Text: title, Size: "Medium", Weight: "Bolder"}),
		}}},
	}
	if e, ok := mention(to); ok {
		c.Teams.Entities = []entity{e}
		c.Body = append(c.Body, element{Type: "TextBlock", Text: e.Text, Wrap: true})
	}
	if m.Sentence != "" {
		c.Body = append(c.Body, rich(plain(m.Sentence)))
	}
	var facts []fact
	if !full && m.Name != "" {
		facts = append(facts, fact{markdown(m.JobLabel), markdown(m.Name)})
	}
	for _, f := range m.Facts {
		facts = append(facts, fact{markdown(f.Label), markdown(strings.TrimSpace(f.Value + " " + f.Note))})
	}
	if len(facts) > 0 {
		c.Body = append(c.Body, element{Type: "FactSet", Facts: facts})
	}
	if len(m.Log) > 0 {
		c.Body = append(c.Body, logOf(m))
	}
	for _, s := range m.Sections {
		c.Body = append(c.Body, sectionOf(s, m.Language))
	}
	if m.More != "" {
		c.Body = append(c.Body, rich(plain(m.More)))
	}
	if inlines := footer(m.Footer); len(inlines) > 0 {
		e := rich(inlines...)
		e.Separator = true
		c.Body = append(c.Body, e)
	}
	for _, b := range m.Buttons {
		c.Actions = append(c.Actions, action{"Action.OpenUrl", clean(b.Text), b.URL})
	}
	return c
}

func rich(inlines ...run) element { return element{Type: "RichTextBlock", Inlines: inlines} }

func plain(text string) run { return run{Type: "TextRun", Text: clean(text)} }

func subtle(text string) run { return run{Type: "TextRun", Text: clean(text), Subtle: true} }

// linked returns text that opens a page, or the text alone without an address.
func linked(text, target string) run {
	r := plain(text)
	if target != "" {
		r.Select = &action{Type: "Action.OpenUrl", URL: target}
	}
	return r
}

// mention returns the entity that mentions the receiver, and false without a valid
// address.
func mention(to channel.Receiver) (entity, bool) {
	if channel.CheckMention(to.Address) != nil {
		return entity{}, false
	}
	name := to.Name
	if name == "" {
		name = to.Address
	}
	name = message.Limit{Columns: maxName, Escape: markdown}.Cut(name)
	return entity{Type: "mention", Text: "<at>" + name + "</at>", Mentioned: mentioned{to.Address, name}}, true
}

func logOf(m *message.Message) element {
	inlines := []run{}
	if head := strings.TrimSpace(m.LogTitle + " " + m.LogNote); head != "" {
		inlines = append(inlines, subtle(head), run{Type: "TextRun", Text: "\n"})
	}
	lines := make([]string, len(m.Log))
	for i, l := range m.Log {
		lines[i] = clean(l)
	}
	return rich(append(inlines, run{Type: "TextRun", Text: strings.Join(lines, "\n"), Font: "Monospace"})...)
}

func sectionOf(s message.Section, language string) element {
	inlines := []run{{Type: "TextRun", Text: clean(s.Title), Weight: "Bolder"}}
	for _, r := range s.Rows {
		inlines = append(inlines, run{Type: "TextRun", Text: "\n"}, linked(r.Name, r.URL))
		if text := channel.RowText(r, language); text != "" {
			inlines = append(inlines, plain(" "+text))
		}
		if r.Time != "" {
			inlines = append(inlines, subtle(" "+r.Time))
		}
	}
	return rich(inlines...)
}

// footer returns the footer. FooterLine marks the position of a link with a character that
// clean text does not contain.
func footer(f message.Footer) (inlines []run) {
	links := map[string]string{}
	line := channel.FooterLine(f, clean, func(label, target string) string {
		links[label] = target
		return "\x00" + label + "\x00"
	})
	for i, part := range strings.Split(line, "\x00") {
		switch {
		case part == "":
		case i%2 == 1:
			inlines = append(inlines, linked(part, links[part]))
		default:
			inlines = append(inlines, subtle(part))
		}
	}
	return inlines
}
