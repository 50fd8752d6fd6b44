package message

import (
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// Limit is how much text a place takes. A field that is zero does not limit.
type Limit struct {
	Bytes, Runes int
	// Columns counts a Han character, and every other wide one, as two.
	Columns int
	// Escape turns text into the syntax of the channel. The limits hold for its result.
	Escape func(string) string
}

// Fits reports whether a text, when escaped, is within the limit.
func (l Limit) Fits(text string) bool {
	text = l.escape(text)
	return (l.Bytes <= 0 || len(text) <= l.Bytes) && (l.Runes <= 0 || utf8.RuneCountInString(text) <= l.Runes) && (l.Columns <= 0 || Columns(text) <= l.Columns)
}

func (l Limit) escape(text string) string {
	if l.Escape == nil {
		return text
	}
	return l.Escape(text)
}

// Cut returns a text, escaped, within the limit. A text that was cut ends with "…". A cut
// never splits a character, or an escape of the channel or of this package.
func (l Limit) Cut(text string) string {
	return l.longest(text, func(n int) string { return text[:n] + ellipsis })
}

// CutMiddle is like Cut, and leaves out the middle.
func (l Limit) CutMiddle(text string) string { return l.Cut(text) }

// longest returns the text if it fits, else the longest of the shorter texts that fits.
func (l Limit) longest(text string, shorter func(bytes int) string) string {
	if l.Fits(text) {
		return l.escape(text)
	}
	for n := len(text) - 1; n >= 0; n-- {
		if utf8.RuneStart(text[n]) && l.Fits(shorter(n)) {
			return l.escape(shorter(n))
		}
	}
	return ""
}

// Columns returns how many columns of a terminal or a phone a text takes: two for a wide
// character, none for a combining mark.
func Columns(text string) (n int) {
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), r >= 0x3000 && r <= 0x303f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1faff:
			n += 2
		default:
			n++
		}
	}
	return n
}
