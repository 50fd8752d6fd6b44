package email

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

//go:embed mail.html
var pageText string

var pageTemplate = template.Must(template.New("mail").Parse(pageText))

// Fonts of the system, because a mail loads no fonts.
const (
	fontText = `Inter,-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue','PingFang SC','Microsoft YaHei','Noto Sans CJK SC',Arial,sans-serif`
	fontMono = `'JetBrains Mono',ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace`
)

// page is the data of the HTML template, which escapes all of its text.
type page struct {
	L, D                   message.Theme
	Font, Mono             template.CSS
	Lang, Title, Preheader string
	Place, Head, Name      string
	Icon                   string // content ID, or "" without a state
	Colors                 []classColor
	Sentence               []span
	Panel                  string
	PanelColor, PanelLine  string
	Strip                  []bar
	Labels                 []label
	FactRows               []factRow
	ButtonGap              int
	LogTitle, LogNote      string
	Log                    []line
	Buttons                []button
	Sections               []section
	More                   string
	Footer                 []footerPart
	Note                   string
	Fill                   []struct{} // padding, so that readers do not show the beginning of the page after the preheader
}

type (
	classColor struct{ Class, Dark string }
	span       struct {
		Text string
		Bold bool
	}
	bar struct {
		Width, Class string
		Height       int
		Fill         template.CSS
		Gap          bool // a line connects the bar to the next one
	}
	label  struct{ Width, Align, Text string }
	line   struct{ Class, Color, Text string }
	button struct {
		Class, URL, Text, Line, Color string
		Fill                          template.CSS
	}
	fact struct {
		message.Fact
		Width string
	}
	factRow struct {
		Gap   int
		Facts []fact
	}
	footerPart struct{ Before, Text, URL string }
	row        struct {
		message.Row
		Line string // "line" if a line follows
	}
	section struct {
		Icon, Title string
		Count       int
		Rows        []row
	}
)

// html returns the HTML of a message. The subject is the title of the page. Lists of mails
// show the preheader beside the subject.
func html(m *message.Message, subject, preheader string) (string, error) {
	p := newPage(m)
	p.Title, p.Preheader = subject, preheader
	var b strings.Builder
	if err := pageTemplate.Execute(&b, p); err != nil {
		return "", fmt.Errorf("the HTML of the mail: %w", err)
	}
	return compact(b.String()), nil
}

// compact removes the empty lines that the template leaves.
func compact(text string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) != "" {
			b.WriteString(l)
		}
	}
	return b.String()
}

func newPage(m *message.Message) *page {
	p := &page{
		L: message.Light, D: message.Dark, Font: fontText, Mono: fontMono, Lang: "en", Place: m.Place, Head: cmp.Or(m.Head, m.Title), Name: m.Name,
		Panel: "panel", PanelColor: message.Light.Panel, PanelLine: message.Light.Line, ButtonGap: 24,
		LogTitle: m.LogTitle, LogNote: m.LogNote, More: m.More, Note: m.Footer.Note, Fill: make([]struct{}, 40),
	}
	if m.Language == message.Chinese {
		p.Lang = "zh-CN"
	}
	if m.State == job.Failed {
		p.Panel, p.PanelColor, p.PanelLine = "fail", message.Light.FailurePanel, message.Light.FailureLine
	}
	if m.State != "" && len(m.Sections) == 0 {
		p.Icon = contentID(m.State)
	}
	if len(m.Sections) > 0 {
		p.ButtonGap = 16
	}
	p.Sentence = emphasize(m.Sentence, nodesOf(m))
	p.strip(m)
	p.facts(m)
	p.log(m)
	p.buttons(m)
	for _, s := range m.Sections {
		p.Sections = append(p.Sections, sectionOf(s))
	}
	p.footer(m)
	return p
}

// contentID returns the content ID of the icon of a state.
func contentID(s job.State) string {
	if s == "" {
		return "gap"
	}
	return strings.ToLower(string(s))
}

// nodesOf returns the nodes that a sentence may mention.
func nodesOf(m *message.Message) (nodes []string) {
	add := func(n *message.Notice) {
		if n != nil && len(n.Cause.Node) > 2 {
			nodes = append(nodes, message.Clean(n.Cause.Node))
		}
	}
	add(m.Notice)
	for i := range m.Items {
		add(&m.Items[i])
	}
	return nodes
}

// emphasize makes the first node in a text bold.
func emphasize(text string, nodes []string) []span {
	if text == "" {
		return nil
	}
	for _, node := range nodes {
		if before, after, ok := strings.Cut(text, node); ok {
			return []span{{before, false}, {node, true}, {after, false}}
		}
	}
	return []span{{text, false}}
}

const (
	highBar = 16 // pixels: the job holds its GPUs
	lowBar  = 7  // the job waits
	thinBar = 2  // the job is only submitted
)

// strip fills the life strip of the job. The width of a cell is its share of the time.
func (p *page) strip(m *message.Message) {
	total := 0.0
	for _, s := range m.Strip {
		total += max(s.Share, 0)
	}
	if total <= 0 || math.IsInf(total, 0) || math.IsNaN(total) {
		return
	}
	for i, s := range m.Strip {
		b := bar{Width: percent(max(s.Share, 0) / total), Class: contentID(s.State), Height: lowBar, Gap: i+1 < len(m.Strip)}
		c := message.ColorOf(s.State)
		b.Fill = template.CSS("background-color:#" + c.Light)
		switch {
		case s.Gap:
			b.Class, b.Height = "gap", highBar
			b.Fill = template.CSS("background-color:#" + message.Light.Pressed + ";background-image:repeating-linear-gradient(135deg,#" + message.GapColor.Light + " 0,#" + message.GapColor.Light + " 1px,transparent 1px,transparent 5px)")
		case s.State == job.Submitted:
			b.Height = thinBar
		case s.State == job.Suspended:
			b.Height, b.Class, b.Fill = 4, "suspended-lines", template.CSS("border-top:2px solid #"+c.Light+";border-bottom:2px solid #"+c.Light)
		case s.Holds:
			b.Height = highBar
		}
		p.Strip = append(p.Strip, b)
		p.color(b.Class, c.Dark)
	}
	p.labels(m, total)
}

// color sets the color of a class for dark pages. A gap keeps its gray, which suits both.
func (p *page) color(class, dark string) {
	if class == "gap" || class == "suspended-lines" || slices.ContainsFunc(p.Colors, func(c classColor) bool { return c.Class == class }) {
		return
	}
	p.Colors = append(p.Colors, classColor{class, dark})
}

// endShare is the share of the width for the time at the end of the strip.
const endShare = 0.09

// labels fills the line below the strip. A label begins at its segment, and may be as wide
// as the segments before the next label.
func (p *page) labels(m *message.Message, total float64) {
	var cells []label
	var widths []float64
	const strip = 0.957 // share of the width; the rest is the icon at the end
	for _, s := range m.Strip {
		share := max(s.Share, 0) / total * strip
		if s.Label != "" || len(cells) == 0 {
			cells, widths = append(cells, label{Text: s.Label, Align: "left"}), append(widths, 0)
		}
		widths[len(widths)-1] += share
	}
	if !slices.ContainsFunc(cells, func(l label) bool { return l.Text != "" }) && m.StripEnd == "" {
		return
	}
	if last := len(widths) - 1; m.StripEnd != "" {
		widths[last] += 1 - strip - endShare
		for last > 0 && widths[last] <= 0.12 { // no room: the label before it takes the space
			widths[last-1] += widths[last]
			cells, widths = cells[:last], widths[:last]
			last--
		}
		cells, widths = append(cells, label{Text: m.StripEnd, Align: "right"}), append(widths, endShare)
	}
	for i := range cells {
		cells[i].Width = percent(max(widths[i], 0))
	}
	p.Labels = cells
}

func percent(share float64) string { return fmt.Sprintf("%.2f%%", share*100) }

// factWidths are the widths of the columns of facts; the first two include a gap of 16
// pixels.
var factWidths = [3]string{"34.2%", "34.2%", "31.6%"}

// facts puts three facts into a row.
func (p *page) facts(m *message.Message) {
	for chunk := range slices.Chunk(m.Facts, len(factWidths)) {
		row := factRow{Gap: 16}
		if len(p.FactRows) == 0 {
			row.Gap = 24
		}
		for i, width := range factWidths {
			f := fact{Width: width}
			if i < len(chunk) {
				f.Fact = chunk[i]
			}
			row.Facts = append(row.Facts, f)
		}
		p.FactRows = append(p.FactRows, row)
	}
}

// log fills the panel of log lines; the last line is the most important.
func (p *page) log(m *message.Message) {
	for i, text := range m.Log {
		l := line{"t2", message.Light.Text2, text}
		if i == len(m.Log)-1 {
			l = line{"t1", message.Light.Text1, text}
		}
		p.Log = append(p.Log, l)
	}
}

func (p *page) buttons(m *message.Message) {
	for _, b := range m.Buttons {
		if b.URL == "" {
			continue
		}
		look := button{"out", b.URL, b.Text, message.Light.Control, message.Light.Text1, "transparent"}
		if b.Primary {
			look = button{"ink", b.URL, b.Text, message.Light.Ink, message.Light.OnInk, template.CSS("#" + message.Light.Ink)}
		}
		p.Buttons = append(p.Buttons, look)
	}
}

func sectionOf(s message.Section) section {
	rows := make([]row, len(s.Rows))
	for i, r := range s.Rows {
		rows[i] = row{Row: r}
		if i+1 < len(s.Rows) {
			rows[i].Line = "line"
		}
	}
	return section{contentID(s.State), s.Title, s.Count, rows}
}

// footer fills the last line. A mail shows the place at the top.
func (p *page) footer(m *message.Message) {
	before := ""
	if m.Footer.Why != "" {
		p.Footer = append(p.Footer, footerPart{Text: m.Footer.Why})
		if before = " "; m.Language == message.Chinese {
			before = ""
		}
	}
	for _, l := range []message.Link{m.Footer.Mute, m.Footer.Change, {Text: m.Footer.Zone}} {
		if l.Text != "" && (l.URL != "" || l.Text == m.Footer.Zone) {
			p.Footer = append(p.Footer, footerPart{before, l.Text, l.URL})
			before = " · "
		}
	}
}
