package observe

import (
	"fmt"
	"slices"
	"strings"
)

// FieldPath is the path of a field, such as "spec", "template".
type FieldPath []string

// requiredFields identify a revision, so redaction must not remove them.
var requiredFields = []string{"apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace", "metadata.uid"}

// ParseFieldPath parses a path such as spec.template.spec.containers.env. A dot within a
// name is written as \. as in metadata.annotations.example\.com/token.
//
// Errors: the path is malformed, or redaction of the field would hide the identity of a
// revision.
func ParseFieldPath(text string) (FieldPath, error) {
	var p FieldPath
	name, escaped := "", false
	for _, r := range text {
		switch {
		case escaped || r != '.' && r != '\\':
			name, escaped = name+string(r), false
		case r == '\\':
			escaped = true
		default:
			p, name = append(p, name), ""
		}
	}
	p = append(p, name)
	switch {
	case escaped, slices.Contains(p, ""), strings.ContainsAny(text, " \t\n[]{}*$\"'"), strings.HasPrefix(text, "/"):
		return nil, fmt.Errorf("%q is not a field path: separate names with dots, as in spec.template.spec.containers.env, without array indexes, and write \\. for a dot within a name", text)
	case slices.Contains(requiredFields, text):
		return nil, fmt.Errorf("cannot redact %s: it identifies the revision", text)
	}
	return p, nil
}

// remove deletes the field from a decoded object, in all elements of the arrays on its
// path.
func (p FieldPath) remove(v any) {
	switch v := v.(type) {
	case map[string]any:
		if len(p) == 1 {
			delete(v, p[0])
		} else if len(p) > 1 {
			p[1:].remove(v[p[0]])
		}
	case []any:
		for _, element := range v {
			p.remove(element)
		}
	}
}
