package channeltest

import (
	"strings"

	"pgregory.net/rapid"
)

// Markup generates texts of one line that are made of markup.
func Markup() *rapid.Generator[string] {
	part := rapid.OneOf(
		rapid.SampledFrom(Hostiles),
		rapid.SampledFrom([]string{
			"*", "**", "_", "__", "~", "~~", "`", "```", "<", ">", "[", "]", "(", ")", "](", "!", "![", "#", "# ", "- ", "+ ", "1.", "1) ", "|", "\\", "&", "&lt;", "&#60;",
			"@", "@all", "<at id=all>", "</at>", "<!here>", ":", ":tada:", "$", "{", "}", "'", "\"", "^", "=", "---", "    ", " ", "a", "B", "7", ".", ",", "测", "试。", "：", "\u200b", "https://", "www.",
		}),
	)
	return rapid.Map(rapid.SliceOfN(part, 0, 12), func(parts []string) string { return strings.Join(parts, "") })
}
