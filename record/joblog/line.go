package joblog

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Line is one line of a log.
type Line struct {
	// Time is when the container wrote the line, as the node says. It is kept in
	// microseconds. A line without a time gets that of the line before it.
	Time time.Time
	// Text is the line without its end. It may have any bytes.
	Text string
}

// maxLine is how many bytes of a line are kept. Redactors read four times as much, so the
// cut does not hide a part of a secret from them.
const (
	maxLine   = 16 << 10
	maxRedact = 4 * maxLine
)

// redacted is what stands for a secret.
const redacted = "[redacted]"

// entry is a line as it is stored: with its time in microseconds since 1970, and without a
// line break.
type entry struct {
	at   int64
	text string
	// more is how many bytes order has left out of a line that is too long for a redactor.
	// Stored entries have 0.
	more int
}

// line returns the entry as a Line.
func (e entry) line() Line { return Line{Time: time.UnixMicro(e.at), Text: e.text} }

// order returns lines as entries in the order of their times. Lines of one time keep their
// order. The first lines without a time get that of the first line that has one, or
// otherwise.
func order(lines []Line, otherwise time.Time) []entry {
	at := micros(otherwise)
	if i := slices.IndexFunc(lines, func(l Line) bool { return !l.Time.IsZero() }); i >= 0 {
		at = lines[i].Time.UnixMicro()
	}
	all := make([]entry, len(lines))
	for i, l := range lines {
		if !l.Time.IsZero() {
			at = l.Time.UnixMicro()
		}
		text := strings.TrimSuffix(strings.TrimSuffix(l.Text, "\n"), "\r")
		more := max(0, len(text)-maxRedact)
		all[i] = entry{at, strings.ReplaceAll(text[:len(text)-more], "\n", " "), more}
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	return all
}

// shorten cuts texts that are longer than maxLine, and says by how much. The end of a text
// that order has cut may be half a secret, so it goes too. A text that was cut before keeps
// its mark.
func shorten(all []entry) {
	for i := range all {
		e := &all[i]
		if e.more == 0 && len(e.text) <= maxLine+maxMark {
			continue
		}
		end := min(maxLine, len(e.text))
		if e.more > 0 {
			end = max(0, min(end, len(e.text)-maxSecret))
		}
		for end > 0 && end < len(e.text) && !utf8.RuneStart(e.text[end]) && end > maxLine-utf8.UTFMax {
			end--
		}
		e.text, e.more = fmt.Sprintf("%s… [%d more bytes]", e.text[:end], len(e.text)-end+e.more), 0
	}
}

const (
	maxMark   = 48      // how many bytes the mark of shorten has at most
	maxSecret = 4 << 10 // how long a secret may be that is known by its form
)

// micros returns a time as the database stores it: microseconds since 1970, or 0 for the
// zero time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// moment is the inverse of micros.
func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros)
}
