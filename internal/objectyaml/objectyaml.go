// Package objectyaml writes objects as YAML for people. The fields of each mapping are
// sorted by name, so apiVersion, kind, metadata, spec and status follow one another.
package objectyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

// maxIndent is the maximum number of indenting spaces of a document, in bytes. A typical
// document of 1.5 MB has a tenth of that; one with values nested thousands deep would have
// gigabytes.
const maxIndent = 16 << 20

// ErrLarge is the error for a document whose values are nested so deep that its YAML would
// be far larger than its JSON.
var ErrLarge = errors.New("its values are nested too deep to be written as YAML")

// Marshal returns a document as YAML. Characters that YAML forbids become escapes. The
// YAML has the size of the JSON, plus at most 16 MiB of spaces.
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
	var escaped bytes.Buffer
	for _, r := range string(text) { // in JSON, lower characters occur only in strings
		if r >= 0x7f && r < 0xa0 || r == '\ufeff' || r == '\ufffe' || r == '\uffff' {
			fmt.Fprintf(&escaped, `\u%04x`, r)
		} else {
			escaped.WriteRune(r)
		}
	}
	out, err := yaml.JSONToYAML(escaped.Bytes())
	return string(out), err
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
