package model

import (
	"strings"
	"unicode/utf8"
)

// Bounds of text columns in bytes. Bodies keep the full text.
const (
	// MaxWord bounds raw states, reasons and submitters.
	MaxWord = 250
	// MaxMessage bounds messages and the details of gaps.
	MaxMessage = 4 << 10
)

// Truncate returns at most limit bytes of a text, cut between characters. It removes NUL,
// which PostgreSQL refuses, and replaces invalid UTF-8.
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
