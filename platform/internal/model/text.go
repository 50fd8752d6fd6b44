package model

import (
	"strings"
	"unicode/utf8"
)

// Limits of text columns in bytes. Bodies keep the full text.
const (
	// MaxWord is the limit for raw states, reasons and submitters.
	MaxWord = 250
	// MaxMessage is the limit for messages and for the details of gaps.
	MaxMessage = 4 << 10
)

// Truncate returns at most limit bytes of a text, cut between characters. It removes NUL,
// which PostgreSQL rejects, and replaces invalid UTF-8.
func Truncate(text string, limit int) string {
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	}
	if len(text) <= limit {
		return text
	}
	for limit > 0 && text[limit]&0xc0 == 0x80 { // inside a character
		limit--
	}
	return text[:limit]
}
