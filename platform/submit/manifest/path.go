package manifest

import (
	"strconv"
	"strings"
)

// segment is one step of a path: the name of a field, or the text in brackets.
type segment struct {
	name    string
	bracket bool
}

// cutPath splits the first segment from a path in the notation of API servers. A name ends
// at a dot or a bracket; but names may contain dots, so the longest known name wins.
func cutPath(path string, known func(name string) bool) (first segment, rest string) {
	if inside, ok := strings.CutPrefix(path, "["); ok {
		end := closing(inside)
		name, rest := inside[:end], ""
		if end < len(inside) {
			rest = inside[end+1:]
		}
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
		return segment{name, true}, strings.TrimPrefix(rest, ".")
	}
	longest := -1
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '.' && path[i] != '[' {
			continue
		}
		if longest < 0 || known(path[:i]) {
			longest = i
		}
	}
	return segment{name: path[:longest]}, strings.TrimPrefix(path[longest:], ".")
}

// closing returns the index of the bracket that closes a segment, or the length of the
// text. Brackets in quotes are ignored.
func closing(inside string) int {
	if quoted, err := strconv.QuotedPrefix(inside); err == nil && strings.HasPrefix(inside[len(quoted):], "]") {
		return len(quoted)
	}
	if i := strings.IndexByte(inside, ']'); i >= 0 {
		return i
	}
	return len(inside)
}
