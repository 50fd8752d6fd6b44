package teams

import (
	"strings"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// tags are the brackets of a mention, which Teams finds in all texts of a card.
var tags = strings.NewReplacer("<", "＜", ">", "＞")

// clean returns users' text escaped for a TextRun, which has no markup except mentions.
func clean(text string) string {
	if lower := strings.ToLower(text); strings.Contains(lower, "<at") || strings.Contains(lower, "</at") {
		text = tags.Replace(text)
	}
	return message.NoMentions(text)
}

// markdown returns users' text escaped for the fields of a card that are Markdown.
func markdown(text string) string { return channel.Inert(text) }
