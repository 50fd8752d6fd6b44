package message

import (
	"strings"
	"unicode/utf8"

	"github.com/vedette-io/vedette/internal/printable"
)

const (
	maxValue   = 256 // bytes of a value
	maxLogLine = 300 // bytes of a log line
)

// Clean returns text of users in a form that is safe in a message: invalid UTF-8, control
// and bidirectional characters and line breaks become escapes such as \x1b and \u202e. A
// text of more than 256 bytes is truncated, and ends with "…". Cleaning clean text changes
// nothing.
func Clean(text string) string { return clean(text, maxValue, false) }

// CleanLine is like Clean, for a line of a log, with at most 300 bytes. A tab becomes four
// spaces.
func CleanLine(text string) string { return cleanLine(text, false) }

func cleanLine(text string, defang bool) string {
	if len(text) > 2*maxLogLine {
		text = text[:2*maxLogLine]
	}
	return clean(strings.ReplaceAll(strings.TrimRight(text, "\r\n"), "\t", "    "), maxLogLine, defang)
}

// clean reads only the necessary part of a long text.
func clean(text string, limit int, defang bool) string {
	if simple(text, limit) {
		return text
	}
	if len(text) > limit+utf8.UTFMax {
		end := limit + utf8.UTFMax
		for end > limit && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	text = printable.Line(text)
	if defang {
		text = Defang(text)
	}
	return Limit{Bytes: limit}.Cut(text)
}

// simple reports whether a text is short and has neither a character to escape nor an
// address.
func simple(text string, limit int) bool {
	if len(text) > limit {
		return false
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '/' || c == 'w' || c == 'W' {
			return false
		}
	}
	return true
}

// NoMentions makes "@" in users' text full-width, for chats in which it would mention
// people. IDs of mentions come from the table of people only.
func NoMentions(text string) string { return strings.ReplaceAll(text, "@", "＠") }

// Defang changes addresses in users' text so that no client makes links of them:
// "https://host.name/x" becomes "hxxps://host[.]name/x", "ftp://host.name" becomes
// "ftp[:]//host[.]name", and "www.host.name" becomes "www[.]host[.]name". Compose calls it
// unless Options.Verbatim is set. It does not change its own result.
func Defang(text string) string {
	var b strings.Builder
	for {
		scheme, host := address(text)
		if host < 0 {
			break
		}
		end := host
		for end < len(text) && inHost(text[end]) && !strings.HasPrefix(text[end:], "://") {
			end++
		}
		b.WriteString(text[:scheme])
		switch name := text[scheme:host]; strings.ToLower(name) {
		case "http://", "https://":
			b.WriteString("hxxp" + name[len("http"):])
		case "", "hxxp://", "hxxps://":
			b.WriteString(name)
		default:
			b.WriteString(strings.ReplaceAll(strings.TrimSuffix(name, "://"), ".", "[.]") + "[:]//")
		}
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(text[host:end], "[.]", "."), ".", "[.]"))
		text = text[end:]
	}
	if b.Len() == 0 {
		return text
	}
	b.WriteString(text)
	return b.String()
}

// address returns the offsets of the first address of a text and of its host. host is -1
// if there is no address.
func address(text string) (scheme, host int) {
	scheme, host = -1, -1
	if i := strings.Index(text, "://"); i >= 0 {
		scheme, host = i, i+len("://")
		for scheme > 0 && inScheme(text[scheme-1]) {
			scheme--
		}
	}
	for i := 0; i+4 <= len(text) && (host < 0 || i < scheme); i++ {
		if text[i]|0x20 == 'w' && strings.EqualFold(text[i:i+4], "www.") && (i == 0 || !inWord(text[i-1])) {
			return i, i
		}
	}
	return scheme, host
}

func inHost(c byte) bool {
	return c < utf8.RuneSelf && !strings.ContainsRune("/?# \t\"'<>|\\", rune(c))
}

func inScheme(c byte) bool { return inWord(c) || c == '+' || c == '-' || c == '.' }

func inWord(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' }
