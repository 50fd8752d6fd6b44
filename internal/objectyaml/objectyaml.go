// Package objectyaml writes objects as YAML for people: the fields of each mapping in the order
// of their names, so that apiVersion, kind, metadata, spec and status follow one another.
package objectyaml

import (
	"bytes"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"
)

// Marshal returns a document as YAML. Characters that YAML forbids become escapes.
//
// Errors: a value that JSON cannot express.
func Marshal(document any) (string, error) {
	text, err := json.Marshal(document)
	if err != nil {
		return "", err
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
