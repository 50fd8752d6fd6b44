package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
)

// forYAML returns a document that a YAML parser can read. JSON is YAML except for
// characters that are written as two escapes, and for the escape \/.
func forYAML(text []byte) []byte {
	trimmed := bytes.TrimSpace(text)
	if !bytes.HasPrefix(trimmed, []byte("{")) || !json.Valid(trimmed) {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			escape, length := escaped(text[i:])
			out = append(out, escape...)
			i += length - 1
		default:
			out = append(out, c)
		}
	}
	return out
}

// escaped returns the YAML escape for the escape at the beginning of a text, and the
// length of the latter. A surrogate pair becomes one escape, and a lone surrogate becomes
// the replacement character.
func escaped(text []byte) (escape []byte, length int) {
	first, ok := codeUnit(text)
	switch {
	case !ok && text[1] == '/':
		return text[1:2], 2
	case !ok:
		return text[:2], 2
	}
	if !utf16.IsSurrogate(first) {
		return text[:6], 6
	}
	if second, ok := codeUnit(text[6:]); ok {
		if r := utf16.DecodeRune(first, second); r != '\ufffd' {
			return fmt.Appendf(nil, `\U%08x`, r), 12
		}
	}
	return []byte(`\ufffd`), 6
}

func codeUnit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
