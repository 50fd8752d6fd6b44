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
	// Time is when the container wrote the line, as reported by the node, with a precision
	// of microseconds. A line without a time gets the time of the previous line.
	Time time.Time
	// Text is the line without its end. It may contain any bytes.
	Text string
}

// maxLine is the maximum stored length of a line in bytes. Redactors read four times as
// much, so that the cut does not hide a part of a secret from them.
const (
	maxLine   = 16 << 10
	maxRedact = 4 * maxLine
)

// redacted replaces a secret.
const redacted = "[redacted]"

// entry is a line as it is stored: with its time in microseconds since 1970, and without a
// line break.
type entry struct {
	at   int64
	text string
	// more is the number of bytes that order has removed from a line that is too long for
	// a redactor. Stored entries have 0.
	more int
}

// line returns the entry as a Line.
func (e entry) line() Line { return Line{Time: time.UnixMicro(e.at), Text: e.text} }

// order returns lines as entries ordered by time. Lines of the same time keep their order.
// First lines without a time get the first time in the lines, or otherwise.
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

// shorten truncates texts that are longer than maxLine, with a mark. The end of a text
// that order has cut may be half a secret, so it is removed too. An already truncated text
// keeps its mark.
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
	maxMark   = 48      // the maximum length of the mark of shorten
	maxSecret = 4 << 10 // the maximum length of a secret with a known form
)

// micros converts a time to the format of the database: microseconds since 1970, or 0 for
// the zero time.
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
