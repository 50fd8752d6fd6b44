package record

import (
	"fmt"
	"slices"
	"strings"
)

// needed are fields without which a revision could not be read back as what it is.
var needed = []string{"apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace", "metadata.uid"}

// parseFieldPath reads a path such as spec.template.spec.containers.env. A dot within
// a name has a \ before it: metadata.annotations.example\.com/token.
func parseFieldPath(text string) (fieldPath, error) {
	var p fieldPath
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
		return nil, fmt.Errorf("%q is no path of a field, such as spec.template.spec.containers.env: names with dots between; arrays are gone through by themselves, and a \\ goes before a dot within a name", text)
	case slices.Contains(needed, text):
		return nil, fmt.Errorf("%s can not be left out: without it a revision can not be read back", text)
	}
	return p, nil
}

// CheckFieldPath says what is wrong with an item of Config.Redact; nil if nothing is.
func CheckFieldPath(text string) error {
	_, err := parseFieldPath(text)
	return err
}
