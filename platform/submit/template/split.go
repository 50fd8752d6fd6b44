package template

import (
	"fmt"
	"strings"
)

// part is a piece of a text: fixed, or an expression.
type part struct {
	fixed string
	expr  string
	line  int // of the expression, from the beginning of the text: 0, 1
	isCEL bool
}

// split splits a text at its expressions: "a-${x}" has a fixed part and an expression. $${
// is the fixed text ${.
//
// Errors: an expression without an end.
func split(text string) (parts []part, err error) {
	var fixed strings.Builder
	flush := func() {
		if fixed.Len() > 0 {
			parts = append(parts, part{fixed: fixed.String()})
			fixed.Reset()
		}
	}
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "$${"):
			fixed.WriteString("${")
			i += 3
		case strings.HasPrefix(text[i:], "${"):
			length := exprEnd(text[i+2:])
			if length < 0 {
				return nil, fmt.Errorf("the expression %s has no closing brace", clip(text[i:]))
			}
			flush()
			expr := text[i+2 : i+2+length]
			parts = append(parts, part{expr: expr, line: strings.Count(text[:i], "\n"), isCEL: true})
			i += 2 + length + 1
		default:
			fixed.WriteByte(text[i])
			i++
		}
	}
	flush()
	return parts, nil
}

// exprEnd returns the index of the brace that ends an expression in CEL, or -1. Braces in
// strings and comments are ignored.
func exprEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '{':
			depth++
		case c == '}' && depth == 0:
			return i
		case c == '}':
			depth--
		case strings.HasPrefix(text[i:], "//"):
			length := strings.IndexByte(text[i:], '\n')
			if length < 0 {
				return -1
			}
			i += length
		case c == '"' || c == '\'':
			length := stringEnd(text[i:], isRaw(text[:i]))
			if length < 0 {
				return -1
			}
			i += length
			continue
		}
		i++
	}
	return -1
}

// isRaw reports whether the following string literal is raw: r"", R"", br"", rb"".
func isRaw(before string) bool {
	prefix := strings.TrimRight(before, "rRbB")
	word := before[len(prefix):]
	if prefix != "" && isWord(prefix[len(prefix)-1]) {
		return false // the letters end a name
	}
	return len(word) <= 2 && strings.ContainsAny(word, "rR")
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// stringEnd returns the length of the string literal at the beginning of a text.
func stringEnd(text string, raw bool) int {
	quote := text[:1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(text, triple) {
		quote = triple
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\' && !raw:
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		}
	}
	return -1
}
