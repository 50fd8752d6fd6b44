// Package objectyaml writes objects as YAML for people. The fields of each mapping are
// sorted by name, so apiVersion, kind, metadata, spec and status follow one another.
package objectyaml

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"
)

// maxIndent is the maximum number of indenting spaces of a document, in bytes. A typical
// document of 1.5 MB has a tenth of that; one with values nested thousands deep would have
// gigabytes.
const maxIndent = 16 << 20

// ErrLarge is the error for a document whose values are nested so deep that its YAML would
// be far larger than its JSON.
var ErrLarge = errors.New("its values are nested too deep to be written as YAML")

// Marshal returns a document as YAML. Characters that YAML forbids, and those that
// printable.Deceives reports, become escapes. The YAML has the size of the JSON, plus at most 16 MiB of spaces.
//
// Errors: a value that JSON cannot express; ErrLarge.
func Marshal(document any) (string, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return "", err
	}
	if indent(text) > maxIndent {
		return "", ErrLarge
	}
	unmarked := strings.ReplaceAll(string(text), `\\x9F`, mark('\\')+`x9F`) // text that looks like a mark
	var escaped strings.Builder
	for _, r := range unmarked { // in JSON, lower characters occur only in strings
		switch {
		case r == marked, unicode.Is(unicode.Bidi_Control, r):
			escaped.WriteString(mark(r))
		case r >= 0x7f && r < 0xa0, r == '\ufeff', r == '\ufffe', r == '\uffff':
			fmt.Fprintf(&escaped, `\u%04x`, r)
		default:
			escaped.WriteRune(r)
		}
	}
	out, err := yaml.JSONToYAML([]byte(escaped.String()))
	return unmark(string(out)), err
}

// A mark stands for a character that the YAML library would write as it is. It has the character
// marked, and one for each of four hexadecimal digits, from zero on. The library writes each of them
// as an escape of the form \x9F.
const (
	marked = '\u009f'
	zero   = '\u0086'
)

// mark returns the mark of a character, for JSON.
func mark(r rune) string {
	return fmt.Sprintf(`\u%04x\u%04x\u%04x\u%04x\u%04x`, marked, zero+r>>12, zero+r>>8&15, zero+r>>4&15, zero+r&15)
}

// unmark replaces each mark of a YAML text by the escape of its character. Nothing else in the text
// is like a mark.
func unmark(text string) string {
	const escape = `\x9F`
	if !strings.Contains(text, escape) {
		return text
	}
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, escape)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString(`\u`)
		for range 4 {
			digit, _ := strconv.ParseUint(after[2:4], 16, 8) // the library has written it
			fmt.Fprintf(&out, "%x", digit-zero)
			after = after[4:]
		}
		text = after
	}
}

// indent returns an upper bound of the indenting spaces in the YAML of a JSON text. Each
// value, and each word of a folded text, may begin a line.
func indent(text []byte) int {
	depth, sum, within := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			within = !within
		case within && c == '\\':
			i++
			sum += depth
		case within && c == ' ':
			sum += depth
		case within:
		case c == '{' || c == '[':
			depth++
			sum += depth
		case c == '}' || c == ']':
			depth--
		case c == ',':
			sum += depth
		}
	}
	return 2 * sum
}
