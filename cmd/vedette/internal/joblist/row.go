package joblist

import (
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/vedette-io/vedette/cmd/vedette/internal/lifestrip"
	"github.com/vedette-io/vedette/cmd/vedette/internal/units"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// column is a column of the list of jobs.
type column struct {
	head  string
	right bool // numbers
	wide  bool // in wide format only
	// least is the width down to which the column shrinks on a narrow terminal, by leaving out
	// the middle of its cells. 0: it does not shrink.
	least int
	// rank is the order in which columns are left out of a narrow terminal: the highest first.
	// 0: never.
	rank int
	// text returns the cell, "" if there is nothing to show.
	text func(j *history.Job) string
}

// allColumns are all columns, in their order. LIFE and DETAIL are drawn apart.
var allColumns = []column{
	{head: "NAMESPACE", least: 8, rank: 4, text: func(j *history.Job) string { return j.Namespace }},
	{head: "NAME", least: 18, text: func(j *history.Job) string { return j.Name }},
	{head: "TYPE", wide: true, text: func(j *history.Job) string { return j.Type }},
	{head: stateHead, text: State},
	{head: "SUBMITTED", wide: true, text: func(j *history.Job) string { return units.Local(j.Submitted) }},
	{head: "WAITED", right: true, text: func(j *history.Job) string { return spell(j.WaitedSeconds) }},
	{head: "RAN", right: true, text: func(j *history.Job) string { return spell(j.RanSeconds) }},
	{head: "GPUS", right: true, text: func(j *history.Job) string { return positive(j.GPUs) }},
	{head: "PODS", right: true, wide: true, text: func(j *history.Job) string { return positive(j.Pods) }},
	{head: "QUEUE", least: 8, rank: 3, text: func(j *history.Job) string { return j.Queue }},
	{head: "OWNER", least: 8, rank: 2, text: func(j *history.Job) string { return j.Submitter }},
	{head: "TRIES", right: true, rank: 5, text: func(j *history.Job) string { return positive(j.Tries) }},
	{head: lifeHead, rank: 1, text: func(*history.Job) string { return lifeHead }},
	{head: "UID", wide: true, text: func(j *history.Job) string { return j.UID }},
	{head: "DETAIL", text: Detail},
}

const (
	stateHead = "STATE"
	lifeHead  = "LIFE"
)

// State returns the state of a job, with what happened to its object.
func State(j *history.Job) string {
	text := j.State
	if text == "" {
		text = j.Raw
	}
	switch {
	case j.Presence == history.Unknown, j.Presence == history.Unselected:
		return text + " (" + j.Presence.String() + ")"
	case !j.Deleted.IsZero() && j.State != string(job.Deleted):
		return text + " (deleted)"
	}
	return text
}

// Detail returns where a job runs, or why it is in its state.
func Detail(j *history.Job) string {
	why := printable.OneLine(j.Reason)
	if message := printable.OneLine(j.Message); message != "" && message != why {
		why = strings.TrimSpace(why + "  " + message)
	}
	switch s := job.State(j.State); {
	case j.Node != "" && (s == job.Running || s == job.Succeeded || s == job.Starting && why == ""):
		if j.Pods > 1 {
			return fmt.Sprintf("%s, %d pods", j.Node, j.Pods)
		}
		return j.Node
	case s == job.Succeeded:
		return ""
	}
	return why
}

// positive returns a number, and nothing for zero.
func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// spell formats a duration with two units: "2h 14m". Nothing is 0.
func spell(seconds float64) string {
	if seconds <= 0 {
		return ""
	}
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case d < time.Second:
		return "0s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", s)
	case d < time.Hour:
		return fmt.Sprintf("%dm %02ds", m, s)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh %02dm", h, m)
	}
	return fmt.Sprintf("%dd %02dh", h/24, h%24)
}

// lifeOf returns the life of a job as strips draw it.
func lifeOf(j *history.Job) (l lifestrip.Life) {
	for _, s := range j.Life {
		l.Spans = append(l.Spans, lifestrip.Span{State: s.State, From: s.From, To: s.To, Gap: s.Gap})
	}
	if !j.Open() {
		l.End = job.State(j.State)
	}
	return l
}

// summaryWidth is the width of the strip of one job.
const summaryWidth = 48

// Summary returns the life of a job in one line, without colors: its strip, and what of it
// is known in numbers.
func Summary(j *history.Job) string {
	parts := []string{lifestrip.StyleOf(os.Getenv, false).Draw(lifeOf(j), summaryWidth)}
	for _, fact := range []struct{ text, words string }{
		{spell(j.WaitedSeconds), "waited %s"}, {spell(j.RanSeconds), "ran %s"}, {positive(max(0, j.Tries-1)), "restarts %s"}, {positive(j.GPUs), "GPUs %s"},
	} {
		if fact.text != "" {
			parts = append(parts, fmt.Sprintf(fact.words, fact.text))
		}
	}
	return strings.Join(parts, "  ")
}

// CellWidth returns how many cells of a terminal a text takes.
func CellWidth(text string) (n int) {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me) || r == '\u200d' || r == '\u200c':
		case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
			r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1faff || r >= 0x20000 && r <= 0x3fffd):
			n += 2
		default:
			n++
		}
	}
	return n
}

// shorten leaves out the middle of a text that takes more than some cells.
func shorten(text string, cells int, dots string) string {
	if CellWidth(text) <= cells {
		return text
	}
	room := cells - CellWidth(dots)
	if room < 1 {
		return Cut(text, cells)
	}
	head := Cut(text, (room+1)/2)
	tail := []rune(text)
	for CellWidth(string(tail)) > room-CellWidth(head) {
		tail = tail[1:]
	}
	return head + dots + string(tail)
}

// Cut returns the beginning of a text that takes at most some cells.
func Cut(text string, cells int) string {
	n := 0
	for i, r := range text {
		if n += CellWidth(string(r)); n > cells {
			return text[:i]
		}
	}
	return text
}

// Document is the machine-readable form of a job.
type Document struct {
	Cluster       string  `json:"cluster"`
	Type          string  `json:"type"`
	Namespace     string  `json:"namespace"`
	Name          string  `json:"name"`
	UID           string  `json:"uid"`
	State         string  `json:"state"`
	Raw           string  `json:"raw"`
	Reason        string  `json:"reason"`
	Message       string  `json:"message"`
	Since         string  `json:"since"`
	Submitted     string  `json:"submitted"`
	Ended         string  `json:"ended"`
	Deleted       string  `json:"deleted"`
	Presence      string  `json:"presence"`
	WaitedSeconds float64 `json:"waitedSeconds"`
	RanSeconds    float64 `json:"ranSeconds"`
	Tries         int     `json:"tries"`
	GPUs          int     `json:"gpus"`
	Pods          int     `json:"pods"`
	Queue         string  `json:"queue"`
	Submitter     string  `json:"submitter"`
	Node          string  `json:"node"`
	Life          Spans   `json:"life"`
}

// Spans are the spans of a life. As text, for CSV, they are one line.
type Spans []Span

// Span is the time that a job spent in one state.
type Span struct {
	State   string  `json:"state"`
	From    string  `json:"from"`
	Seconds float64 `json:"seconds"`
	Gap     bool    `json:"gap"`
}

// String returns "Queued 5m 00s, Running 2h 14m".
func (all Spans) String() string {
	var parts []string
	for _, s := range all {
		word := s.State
		if s.Gap {
			word = "not watched"
		}
		parts = append(parts, strings.TrimSpace(word+" "+spell(s.Seconds)))
	}
	return strings.Join(parts, ", ")
}

// NewDocument returns the machine-readable form of a job.
func NewDocument(j *history.Job) Document {
	doc := Document{
		Cluster: j.Cluster, Type: j.Type, Namespace: j.Namespace, Name: j.Name, UID: j.UID, State: j.State, Raw: j.Raw, Reason: j.Reason, Message: j.Message,
		Since: units.Timestamp(j.Since), Submitted: units.Timestamp(j.Submitted), Ended: units.Timestamp(j.Ended), Deleted: units.Timestamp(j.Deleted), Presence: j.Presence.String(),
		WaitedSeconds: j.WaitedSeconds, RanSeconds: j.RanSeconds, Tries: j.Tries, GPUs: j.GPUs, Pods: j.Pods, Queue: j.Queue, Submitter: j.Submitter, Node: j.Node, Life: Spans{},
	}
	for _, s := range j.Life {
		doc.Life = append(doc.Life, Span{string(s.State), units.Timestamp(s.From), s.To.Sub(s.From).Seconds(), s.Gap})
	}
	return doc
}

// cellOf returns the escaped cell of a column.
func (c *column) cellOf(j *history.Job) string { return printable.Line(c.text(j)) }
