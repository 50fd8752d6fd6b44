package stdout

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/notify/message"
)

const (
	// TimeColumns and TypeColumns are the widths of the columns before the title, as in
	// `vedette watch`.
	TimeColumns, TypeColumns = 14, 18

	maxRows = 20 // of a digest
	maxLog  = 10
)

// Printer prints messages. Its fields must not change after the first call.
type Printer struct {
	Out   io.Writer
	Style Style
	// Location is the zone of the times; nil means local time.
	Location *time.Location

	mu sync.Mutex
}

// Delivery is the result of the last try to send a message to one receiver.
type Delivery struct {
	Receiver, Channel, Rule string
	Took                    time.Duration
	// Err is the error of the last try; nil if the message was sent. Try counts from 1.
	// Next is the time of the next try, or zero if no further try follows.
	Err        error
	Try, Tries int
	Next       time.Time
}

// Print prints a message. d may be nil, and next may be empty.
//
// Errors: those of the writer.
func (p *Printer) Print(at time.Time, m *message.Message, d *Delivery, next string) error {
	text := p.text(at, m, d, next)
	p.mu.Lock()
	defer p.mu.Unlock()
	_, err := io.WriteString(p.Out, text)
	return err
}

// text returns the lines of a message.
func (p *Printer) text(at time.Time, m *message.Message, d *Delivery, next string) string {
	var b strings.Builder
	indent := strings.Repeat(" ", TimeColumns)
	b.WriteString(p.Style.Faint(p.clock(at)) + "  message" + strings.Repeat(" ", TypeColumns-len("message")) + p.Style.title(m.Title, m.StateWord, m.State) + "\n")
	for _, s := range sentences(m.Sentence) {
		b.WriteString(indent + p.Style.paint("", s) + "\n")
	}
	p.rows(&b, m)
	for _, l := range m.Log[max(0, len(m.Log)-maxLog):] {
		b.WriteString(indent + p.Style.Faint("| "+l) + "\n")
	}
	var last []string
	if d != nil {
		last = append(last, p.delivery(d))
	}
	if next != "" {
		last = append(last, "next: ")
	}
	if len(last) > 0 {
		b.WriteString(indent + p.Style.Faint(strings.Join(last, "; ")) + p.Style.paint("", next) + "\n")
	}
	return b.String()
}

// rows writes the jobs of a digest.
func (p *Printer) rows(b *strings.Builder, m *message.Message) {
	indent, shown := strings.Repeat(" ", TimeColumns), 0
	for _, s := range m.Sections {
		b.WriteString(indent + p.Style.State(s.State, s.Title) + "\n")
		for _, r := range s.Rows {
			if shown++; shown > maxRows {
				continue
			}
			b.WriteString(indent + "  " + p.Style.paint("", r.Name) + p.Style.Faint(", "+strings.Join(present(r.Owner, r.Text, r.Time), ", ")) + "\n")
		}
	}
	if shown > maxRows {
		b.WriteString(indent + p.Style.Faint(fmt.Sprintf("and %d more", shown-maxRows)) + "\n")
	}
	if m.More != "" {
		b.WriteString(indent + p.Style.Faint(m.More) + "\n")
	}
}

func present(all ...string) (found []string) {
	for _, text := range all {
		if text != "" && text != "–" {
			found = append(found, text)
		}
	}
	return found
}

// delivery returns a delivery in words.
func (p *Printer) delivery(d *Delivery) string {
	to := "to " + d.Receiver + " by " + d.Channel
	if d.Receiver == "" {
		to = "by " + d.Channel
	}
	if d.Err != nil {
		text := "not sent " + to + ": " + d.Err.Error() + ", "
		if d.Next.IsZero() {
			return text + fmt.Sprintf("after %d tries", d.Try)
		}
		return text + fmt.Sprintf("try %d of %d at %s", d.Try+1, d.Tries, p.at(d.Next).Format(time.TimeOnly))
	}
	text := "sent " + to
	if d.Took > 0 {
		text += " in " + round(d.Took)
	}
	if d.Rule != "" {
		text += fmt.Sprintf(", rule %q", d.Rule)
	}
	return text
}

// round returns a duration for people: "310 ms", "2.4 s".
func round(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", max(d.Milliseconds(), 1))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func (p *Printer) at(t time.Time) time.Time {
	if p.Location != nil {
		return t.In(p.Location)
	}
	return t.Local()
}

func (p *Printer) clock(t time.Time) string { return p.at(t).Format("15:04:05.000") }

// sentences splits a text after each sentence. Periods within names and numbers do not end
// a sentence.
func sentences(text string) (all []string) {
	for text != "" {
		end := len(text)
		for _, stop := range []string{". ", "。"} {
			if i := strings.Index(text, stop); i >= 0 {
				end = min(end, i+len(strings.TrimRight(stop, " ")))
			}
		}
		all = append(all, text[:end])
		text = strings.TrimLeft(text[end:], " ")
	}
	return all
}
