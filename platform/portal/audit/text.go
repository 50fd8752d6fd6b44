package audit

import (
	"strings"
	"unicode/utf8"
)

// Limits of texts in bytes. MariaDB and MySQL refuse longer ones.
const (
	maxWord = 63
	maxName = 300
	maxText = 4096
	// maxRefusal is the limit of the detail of an act that was not done.
	maxRefusal = 256
)

// cut returns a text that every database stores: valid UTF-8 without zero bytes, and at most
// limit bytes long. A text that is cut ends with "…".
func cut(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= limit {
		return text
	}
	const end = "…"
	limit -= len(end)
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + end
}
