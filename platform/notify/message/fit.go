package message

import (
	"slices"
	"sort"
	"strings"
)

const (
	minName = 16 // minimum characters of a name that Fit keeps
	minRow  = 24 // minimum characters of a name in a row that Fit keeps
)

// Fit returns the largest version of a message that fits. The function fits renders a
// version, escapes it and measures the result. Fit removes, in this order: log lines from
// the oldest, facts from the last, the optional parts, and the middle of the name. From a
// digest it removes rows from the last, so Succeeded is first. Finally it cuts the end of
// the sentence. It never removes the state, the reason, links and the mute.
//
// The result is a copy unless the message fits unchanged. Truncated names the removed
// parts. If nothing fits, Fit returns the smallest version.
func Fit(m *Message, fits func(*Message) bool) *Message {
	if fits(m) {
		return m
	}
	for _, s := range steps {
		largest := s.size(m)
		if largest <= s.least {
			continue
		}
		// The largest version of this step is the message itself, which does not fit.
		kept := s.least + sort.Search(largest-1-s.least, func(n int) bool { return !fits(s.cut(m, s.least+n+1)) })
		m = s.cut(m, kept)
		if !slices.Contains(m.Truncated, s.name) {
			m.Truncated = append(slices.Clip(m.Truncated), s.name)
		}
		if kept > s.least || fits(m) {
			return m
		}
	}
	return m
}

// step is a way to make a message smaller. size is the current size of a part, and cut
// returns a copy with a smaller size.
type step struct {
	name  string
	least int
	size  func(m *Message) int
	cut   func(m *Message, kept int) *Message
}

var steps = []step{
	{"log", 0, func(m *Message) int { return len(m.Log) }, withLog},
	{"rows", 0, func(m *Message) int { return rowCount(m) }, withRows},
	{"facts", 0, func(m *Message) int { return len(m.Facts) }, withFacts},
	{"optional", 0, optionalParts, withoutOptional},
	{"name", minName, func(m *Message) int { return nameLength(m) }, withName},
	{"rows", minRow, longestRow, withRowNames},
	{"sentence", 0, func(m *Message) int { return len(atoms(m.Sentence)) - 1 }, withSentence},
}

func withLog(m *Message, kept int) *Message {
	small := *m
	small.Log = m.Log[len(m.Log)-kept:]
	if kept == 0 {
		small.LogTitle, small.LogNote = "", ""
	}
	return &small
}

func withFacts(m *Message, kept int) *Message {
	small := *m
	small.Facts = m.Facts[:kept]
	return &small
}

func optionalParts(m *Message) int {
	if m.ShortTitle != m.Title && m.ShortTitle != "" || m.ShortSentence != m.Sentence {
		return 1
	}
	return 0
}

func withoutOptional(m *Message, _ int) *Message {
	small := *m
	if m.ShortTitle != "" {
		small.Title = m.ShortTitle
	}
	small.Sentence = m.ShortSentence
	return &small
}

func nameLength(m *Message) int {
	if m.Name == "" || !strings.Contains(m.Title, m.Name) {
		return 0
	}
	return len(atoms(m.Name)) - 1
}

func withName(m *Message, kept int) *Message {
	small := *m
	small.Title, small.Name = renamed(m.Title, m.Name, kept), withoutMiddle(m.Name, atoms(m.Name), kept)
	return &small
}

// renamed returns a title in which the name has kept characters.
func renamed(title, name string, kept int) string {
	at := strings.LastIndex(title, name)
	return title[:at] + withoutMiddle(name, atoms(name), kept) + title[at+len(name):]
}

func withSentence(m *Message, kept int) *Message {
	small := *m
	small.Sentence = m.Sentence[:atoms(m.Sentence)[kept]] + ellipsis
	return &small
}

func rowCount(m *Message) (n int) {
	for _, s := range m.Sections {
		n += len(s.Rows)
	}
	return n
}

// withRows keeps the first rows, because the sections are ordered from the worst to the
// best.
func withRows(m *Message, kept int) *Message {
	small := *m
	small.Sections = nil
	small.left = m.left + rowCount(m) - kept
	if m.words != nil && small.left > 0 {
		s := speaker{words: m.words, extra: map[string]string{"more": m.words.number(small.left)}, find: find}
		small.More = s.say(m.words.footer.more)
	}
	if kept < len(m.Items) {
		small.Items = m.Items[:kept]
	}
	for _, s := range m.Sections {
		if kept == 0 {
			break
		}
		s.Rows = s.Rows[:min(kept, len(s.Rows))]
		kept -= len(s.Rows)
		small.Sections = append(small.Sections, s)
	}
	return &small
}

func longestRow(m *Message) (n int) {
	for _, s := range m.Sections {
		for _, row := range s.Rows {
			n = max(n, len(atoms(row.Name))-1)
		}
	}
	return n
}

func withRowNames(m *Message, kept int) *Message {
	small := *m
	small.Sections = slices.Clone(m.Sections)
	for i, s := range small.Sections {
		small.Sections[i].Rows = slices.Clone(s.Rows)
		for j, row := range s.Rows {
			small.Sections[i].Rows[j].Name = withoutMiddle(row.Name, atoms(row.Name), kept)
		}
	}
	return &small
}

// TitleWithin returns the title, escaped, within a limit, and whether it contains the full
// name. A title that is too long loses its optional parts, then the middle of the name,
// and finally its end.
func (m *Message) TitleWithin(l Limit) (title string, full bool) {
	for _, text := range []string{m.Title, m.ShortTitle} {
		if text != "" && l.Fits(text) {
			return l.escape(text), true
		}
	}
	short := or(m.ShortTitle, m.Title)
	if m.Name != "" && strings.Contains(short, m.Name) {
		length := len(atoms(m.Name)) - 1
		kept := sort.Search(length, func(n int) bool { return !l.Fits(renamed(short, m.Name, n+1)) })
		for ; kept >= min(length, minName/2); kept-- {
			if text := renamed(short, m.Name, kept); l.Fits(text) {
				return l.escape(text), false
			}
		}
	}
	return l.Cut(short), false
}
