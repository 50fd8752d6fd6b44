package jsontext

import "strings"

// Member returns the path of a member: ".name", or "['name']" if the name has other bytes than
// letters, digits, '_', '-' and '/', or none. The first member of a path has no dot.
func Member(path, name string) string {
	switch {
	case !isBare(name):
		return path + "[" + Quote(name, '\'') + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// Quote returns a text in quotes, in which a backslash escapes the quote and the backslash.
func Quote(s string, quote byte) string {
	q := string(quote)
	return q + strings.NewReplacer(`\`, `\\`, q, `\`+q).Replace(s) + q
}

func isBare(name string) bool {
	for i := range len(name) {
		if !IsNameByte(name[i]) {
			return false
		}
	}
	return name != ""
}

// IsNameByte reports whether a name with this byte needs no quotes in a path.
func IsNameByte(c byte) bool {
	return IsDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-' || c == '/'
}
