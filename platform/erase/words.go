package erase

import "strings"

// wordsOf returns the words of a text that may be names of objects or UIDs, without a period at
// the end of a sentence.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r != '-' && r != '.' && r != '/' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	for i := range words {
		words[i] = strings.TrimRight(words[i], ".")
	}
	return words
}
