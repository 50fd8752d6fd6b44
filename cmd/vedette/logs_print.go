package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/logs"
	"github.com/vedette-io/vedette/platform/logs/logtext"
)

// podColors are the colors of prefixes, as SGR parameters. Red is for failures.
var podColors = []string{"36", "33", "35", "32", "34", "96", "93", "95", "92", "94"}

// logFormat is the format of the output.
type logFormat struct {
	timestamps            bool
	prefix, output, color string
}

// logPrinter prints the lines of logs.
type logPrinter struct {
	con    *console.Console
	opts   logFormat
	write  func(logs.Line) error
	first  logs.Line // that was printed
	many   bool      // several pods, containers or attempts have written
	opened bool      // of a JSON array
}

func newLogPrinter(con *console.Console, o logFormat) (*logPrinter, error) {
	p := &logPrinter{con: con, opts: o}
	switch o.prefix {
	case "auto", "always", "never", "":
	default:
		return nil, fmt.Errorf("--prefix is %q, want auto, always or never", o.prefix)
	}
	switch o.color {
	case "auto", "always", "never", "":
	default:
		return nil, fmt.Errorf("--color is %q, want auto, always or never", o.color)
	}
	format, err := listing.ParseFormat(o.output, "raw", "ndjson", "json")
	if err != nil {
		return nil, err
	}
	switch format.Kind {
	case "":
		p.write = p.line
	case "raw":
		if con.Terminal() {
			return nil, errors.New("-o raw is not for terminals, which obey control characters of the log; write it to a file or a pipe")
		}
		p.write = p.raw
	case "ndjson":
		p.write = p.ndjson
	case "json":
		p.write = p.json
	}
	return p, nil
}

// printAll prints lines until the end or an error.
func (p *logPrinter) printAll(lines iter.Seq2[logs.Line, error]) error {
	for l, err := range lines {
		if err != nil {
			return errors.Join(err, p.close())
		}
		if err := p.write(l); err != nil {
			return err
		}
	}
	return p.close()
}

// close ends the document, if one was begun.
func (p *logPrinter) close() error {
	switch {
	case p.opts.output != "json":
		return nil
	case !p.opened:
		return p.con.Document("[]\n")
	}
	return p.con.Document("\n]\n")
}

// line prints a line for people.
func (p *logPrinter) line(l logs.Line) error {
	if l.Note != "" {
		p.con.Say("-- %s", l.Note)
		return nil
	}
	if p.first.Pod == "" {
		p.first = l
	}
	if other := l.Pod != p.first.Pod || l.Container != p.first.Container || l.Attempt != p.first.Attempt; other && !p.many {
		p.many = true
		if p.opts.prefix == "auto" || p.opts.prefix == "" {
			p.con.Say("-- from here on, each line has the pod, container and attempt that wrote it; until here it was %s", originOf(p.first))
		}
	}
	var text strings.Builder
	if p.opts.prefix == "always" || p.opts.prefix != "never" && p.many {
		text.WriteString(p.paint(originOf(l), l.Pod) + " ")
	}
	if p.opts.timestamps {
		text.WriteString(units.Local(l.Time) + " ")
	}
	text.WriteString(p.shown(l.Text))
	if l.Cut > 0 {
		text.WriteString(" … " + p.dim(fmt.Sprintf("[%s more bytes]", grouped(int64(l.Cut)))))
	}
	text.WriteString("\n")
	return p.con.Styled(text.String())
}

// shown returns the text of a line: as its program wanted it on a terminal, with its control
// sequences in a file, and with escapes elsewhere.
func (p *logPrinter) shown(text string) string {
	switch {
	case p.con.Colors:
		return logtext.Terminal(text)
	case p.con.Terminal():
		return logtext.Plain(text)
	case p.con.File() && p.opts.color != "never":
		return logtext.File(text)
	}
	return printable.Text(strings.TrimSuffix(text, "\r"))
}

// originOf returns the pod, container and attempt that wrote a line.
func originOf(l logs.Line) string {
	return fmt.Sprintf("%s/%s #%d", printable.Line(l.Pod), printable.Line(l.Container), l.Attempt)
}

// grouped formats a number with commas.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// paint gives a text the color of a pod, which is the same in each run of the program.
func (p *logPrinter) paint(text, pod string) string {
	if !p.con.Colors {
		return text
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(pod)) // a Hash returns no error
	return fmt.Sprintf("\x1b[%sm%s\x1b[0m", podColors[h.Sum32()%uint32(len(podColors))], text)
}

func (p *logPrinter) dim(text string) string {
	if !p.con.Colors {
		return text
	}
	return "\x1b[2m" + text + "\x1b[0m"
}

// raw prints the text as the container wrote it.
func (p *logPrinter) raw(l logs.Line) error {
	if l.Note != "" {
		p.con.Say("-- %s", l.Note)
		return nil
	}
	if l.Cut > 0 {
		p.con.Say("-- a line of pod %s was cut: %s bytes are missing", l.Pod, grouped(int64(l.Cut)))
	}
	return p.con.Document(l.Text + "\n")
}

// jsonLine is a line, or a note, for programs.
type jsonLine struct {
	Time      string `json:"time,omitempty"`
	Pod       string `json:"pod,omitempty"`
	PodUID    string `json:"podUID,omitempty"`
	Container string `json:"container,omitempty"`
	Attempt   int    `json:"attempt,omitempty"`
	Restart   int    `json:"restart"`
	// Text is the line, and Bytes the same in base64 if it is not UTF-8.
	Text  *string `json:"text,omitempty"`
	Bytes string  `json:"bytes,omitempty"`
	Cut   int     `json:"cutBytes,omitempty"`
	Kept  bool    `json:"kept,omitempty"`
	Note  string  `json:"note,omitempty"`
}

// encode returns a line as JSON, without a line end.
func encode(l logs.Line) (string, error) {
	j := jsonLine{
		Time: units.Timestamp(l.Time), Pod: l.Pod, PodUID: l.PodUID, Container: l.Container, Attempt: l.Attempt, Restart: l.Restart,
		Cut: l.Cut, Kept: l.Kept, Note: l.Note,
	}
	if l.Note == "" {
		j.Text = &l.Text
		if !utf8.ValidString(l.Text) {
			j.Bytes = base64.StdEncoding.EncodeToString([]byte(l.Text))
		}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(j)
	return strings.TrimSuffix(text.String(), "\n"), err
}

func (p *logPrinter) ndjson(l logs.Line) error {
	text, err := encode(l)
	if err != nil {
		return err
	}
	return p.con.Document(text + "\n")
}

func (p *logPrinter) json(l logs.Line) error {
	text, err := encode(l)
	if err != nil {
		return err
	}
	between := ",\n  "
	if !p.opened {
		p.opened, between = true, "[\n  "
	}
	return p.con.Document(between + text)
}
