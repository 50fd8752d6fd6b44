// Package objectyaml writes objects as YAML for people: the fields of each mapping in the order
// of their names, so that apiVersion, kind, metadata, spec and status follow one another.
package objectyaml

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

// maxIndent bounds the blanks that indent the lines of a document, in bytes. A document of 1.5 MB
// that people write has a tenth; one whose values are nested thousands deep would have gigabytes.
const maxIndent = 16 << 20

// ErrLarge is returned for a document whose values are nested so deep that its YAML would be far
// larger than its JSON.
var ErrLarge = errors.New("its values are nested too deep to be written as YAML")

// Marshal returns a document as YAML. Characters that YAML forbids become escapes. The YAML has
// the size of the JSON, and at most 16 MiB of blanks.
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

// indent returns a bound of the blanks that indent the YAML of a JSON text. Each value, and each
// word of a text that is folded, may begin a line.
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
