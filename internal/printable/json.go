package printable

import (
	"fmt"
	"strings"
	"unicode"
)

// Deceives reports whether a character changes how the text around it looks, or controls a terminal:
// the bidirectional controls (Unicode Standard Annex 9) and the control characters that JSON allows.
func Deceives(r rune) bool {
	return r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r)
}

// JSON returns a JSON text in which the characters that Deceives reports are escapes, such as
// \u202e. The text has the same value.
func JSON(text string) string {
	if !strings.ContainsFunc(text, Deceives) {
		return text
	}
	var out strings.Builder
	for _, r := range text { // such characters occur only in strings
		if Deceives(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}
