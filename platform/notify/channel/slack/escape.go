package slack

import (
	"strings"

	"github.com/vedette-io/vedette/platform/notify/message"
)

// zeroWidthSpace separates characters that would be markup together. It is invisible.
const zeroWidthSpace = "\u200b"

// entities are the three characters that Slack escapes.
var entities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape returns users' text escaped for mrkdwn: bold text, mentions, links, quotes and
// emojis become plain text.
func escape(text string) string {
	text = message.NoMentions(message.Defang(text))
	var b strings.Builder
	if text != "" && strings.ContainsRune(">-•", firstRune(text)) {
		b.WriteString(zeroWidthSpace)
	}
	for i, r := range text {
		switch r {
		case '&', '<', '>':
			b.WriteString(entities.Replace(string(r)))
		case '*', '~', '`':
			b.WriteRune(r - '!' + '！') // full-width
		case '_':
			b.WriteString(zeroWidthSpace + "_" + zeroWidthSpace)
		case ':':
			b.WriteRune(r)
			if opensEmoji(text[i+1:]) {
				b.WriteString(zeroWidthSpace)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func firstRune(text string) rune {
	for _, r := range text {
		return r
	}
	return 0
}

// opensEmoji reports whether the text after a colon may be the name of an emoji.
func opensEmoji(rest string) bool {
	end := strings.IndexByte(rest, ':')
	if end <= 0 || strings.ContainsAny(rest[:end], " /.") {
		return false
	}
	name := rest[:end]
	return strings.Trim(name, "0123456789") != "" || name == "100" || name == "1234"
}

// plain returns users' text escaped for plain_text, in which Slack parses only the three
// entities.
func plain(text string) string { return entities.Replace(message.NoMentions(text)) }

// verbatim returns a log line for a code block, which only three backticks end.
func verbatim(line string) string {
	return entities.Replace(message.NoMentions(strings.ReplaceAll(line, "```", "'''")))
}
