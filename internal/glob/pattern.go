// Package glob selects names by patterns.
package glob

import (
	"strings"
	"unicode/utf8"
)

// Pattern selects names: "*" matches any text, "?" one character, and every other character
// itself.
type Pattern string

// Match reports whether a name is selected.
func (g Pattern) Match(name string) bool {
	pattern := string(g)
	star, mark := -1, 0 // position after the last "*", and the beginning of the text that it matches
	p, n := 0, 0
	for n < len(name) {
		_, size := utf8.DecodeRuneInString(name[n:])
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && pattern[p] == '?':
			p++
			n += size
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			_, size = utf8.DecodeRuneInString(name[mark:])
			mark += size
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// MatchesAny reports whether one of some globs selects a name. No globs select all names.
func MatchesAny(globs []Pattern, name string) bool {
	for _, g := range globs {
		if g.Match(name) {
			return true
		}
	}
	return len(globs) == 0
}
