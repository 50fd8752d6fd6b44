package feishu

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/platform/notify/message"
)

// active are the characters that lark_md may parse as markup.
const active = "&<>*_~`[]()#!|\\$\"'{}^"

// escape returns users' text escaped for lark_md: active characters become numeric
// entities.
func escape(text string) string {
	text = message.NoMentions(message.Defang(text))
	var b strings.Builder
	for i, r := range text {
		if strings.ContainsRune(active, r) || i == 0 && strings.ContainsRune(" -+=", r) || r == '.' && allDigits(text[:i]) {
			fmt.Fprintf(&b, "&#%d;", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// allDigits reports whether a text is a number, so that a period after it would start a
// list.
func allDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// verbatim returns a log line for a code block, which only three backticks end. Some
// clients parse mentions in code, so their bracket becomes full-width.
func verbatim(line string) string {
	line = strings.ReplaceAll(message.NoMentions(line), "`", "'")
	return strings.NewReplacer("<at", "＜at", "<AT", "＜AT", "<At", "＜At", "<aT", "＜aT", "</at", "＜/at", "<person", "＜person").Replace(line)
}
