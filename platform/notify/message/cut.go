package message

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"github.com/vedette-io/vedette/internal/printable"
)

const ellipsis = "…"

// Limit is the maximum size of a text. Zero fields mean no limit.
type Limit struct {
	Bytes, Runes int
	// Columns counts every wide character, such as a Han character, as two.
	Columns int
	// Escape converts text to the syntax of the channel; nil means no change. The limits
	// apply to the result.
	Escape func(string) string
}

// Fits reports whether a text is within the limit after escaping.
func (l Limit) Fits(text string) bool {
	text = l.escape(text)
	return (l.Bytes <= 0 || len(text) <= l.Bytes) && (l.Runes <= 0 || utf8.RuneCountInString(text) <= l.Runes) && (l.Columns <= 0 || printable.Columns(text) <= l.Columns)
}

func (l Limit) escape(text string) string {
	if l.Escape == nil {
		return text
	}
	return l.Escape(text)
}

// Cut returns a text, escaped and truncated to the limit. A truncated text ends with "…".
// A cut never splits a character with its marks, or an escape of the channel or of Clean.
func (l Limit) Cut(text string) string {
	return l.longest(text, func(ends []int, kept int) string { return text[:ends[kept]] + ellipsis })
}

// CutMiddle is like Cut, but removes the middle.
func (l Limit) CutMiddle(text string) string {
	return l.longest(text, func(ends []int, kept int) string { return withoutMiddle(text, ends, kept) })
}

// longest returns the text if it fits, else the longest of its shorter versions that fits,
// else "".
func (l Limit) longest(text string, shorter func(ends []int, kept int) string) string {
	if l.Fits(text) {
		return l.escape(text)
	}
	ends := atoms(text)
	kept := sort.Search(len(ends)-1, func(n int) bool { return !l.Fits(shorter(ends, n+1)) })
	for ; kept >= 0; kept-- { // a shorter text may have a longer escape
		if cut := shorter(ends, kept); l.Fits(cut) {
			return l.escape(cut)
		}
	}
	return ""
}

// withoutMiddle returns a text with kept of its atoms, most of them from its beginning.
func withoutMiddle(text string, ends []int, kept int) string {
	last := len(ends) - 1
	if kept >= last {
		return text
	}
	front := (kept*5 + 4) / 8
	return text[:ends[front]] + ellipsis + text[ends[last-kept+front]:]
}

// atoms returns the offsets where a text may be cut, including 0 and its length.
func atoms(text string) []int {
	ends := []int{0}
	for at := 0; at < len(text); {
		at += atom(text[at:])
		ends = append(ends, at)
	}
	return ends
}

// atom returns the length of the first atom: an escape of Clean, or a character with its
// marks and joined characters.
func atom(text string) int {
	if n := escapeLength(text); n > 0 {
		return n
	}
	_, n := utf8.DecodeRuneInString(text)
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		switch {
		case r == '\u200d': // joins the next character to this one
			_, joined := utf8.DecodeRuneInString(text[n+size:])
			n += size + joined
		case r == '\u200c', unicode.In(r, unicode.M, unicode.Variation_Selector), r >= 0x1f3fb && r <= 0x1f3ff:
			n += size
		default:
			return n
		}
	}
	return n
}

// escapeLength returns the length of the escape of Clean at the beginning of a text, or 0.
func escapeLength(text string) int {
	if len(text) < 2 || text[0] != '\\' {
		return 0
	}
	digits := 0
	switch text[1] {
	case 'n', 'r', 't':
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		return 0
	}
	if len(text) < 2+digits {
		return 0
	}
	for _, c := range []byte(text[2 : 2+digits]) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return 0
		}
	}
	return 2 + digits
}
