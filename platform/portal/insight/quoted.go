package insight

import "strings"

// quoted returns a message of another program as a part of an answer.
func quoted(message string) string {
	const most = 300
	text := strings.Join(strings.Fields(message), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	if text != "" && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "…") {
		text += "."
	}
	return text
}
