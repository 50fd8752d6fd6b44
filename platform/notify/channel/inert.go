package channel

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/platform/notify/message"
)

// zeroWidthSpace separates characters that would be markup together. It is invisible.
const zeroWidthSpace = "\u200b"

// Inert returns text that is not markup in dialects of Markdown without escapes, such as
// those of DingTalk and WeCom. Brackets, exclamation marks, backticks, asterisks and
// tildes become full-width; zero-width spaces separate all other special characters; "@"
// mentions nobody; URLs are not links. The text must be one line.
func Inert(text string) string {
	text = message.NoMentions(message.Defang(text))
	var b strings.Builder
	if startsBlock(text) {
		b.WriteString(zeroWidthSpace)
	}
	for _, r := range text {
		switch r {
		case '<', '>', '[', ']', '(', ')', '!', '`', '*', '~':
			// Markdown does not treat a zero-width space as a space, so "*" would still be
			// emphasis.
			b.WriteRune(r - '!' + '！')
		case '_':
			b.WriteString(zeroWidthSpace + "_" + zeroWidthSpace)
		case '#', '\\', '&', '|':
			b.WriteRune(r)
			b.WriteString(zeroWidthSpace)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// startsBlock reports whether Markdown parses the beginning of a line as a list, a rule or
// code.
func startsBlock(text string) bool {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits > 0 && digits < len(text) {
		return text[digits] == '.' || text[digits] == ')'
	}
	return text != "" && strings.ContainsRune(" \t-+=", rune(text[0]))
}

// LinkTarget returns a URL for the parentheses or angle brackets of a link: every
// character that could end the link is encoded.
func LinkTarget(raw string) string {
	var b strings.Builder
	for i := range len(raw) {
		c := raw[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`()<>[]{}"'\|^*~!`+"`", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
