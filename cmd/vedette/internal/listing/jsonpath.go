package listing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/client-go/util/jsonpath"
)

// ParsePath parses a template of kubectl. A lone path may leave out the braces and the dot. Keys
// that an object lacks are empty.
func ParsePath(template string) (*jsonpath.JSONPath, error) {
	if template == "" {
		return nil, fmt.Errorf("jsonpath needs a template, such as -o jsonpath='{.metadata.name}'")
	}
	if !strings.Contains(template, "{") {
		template = "{." + strings.TrimPrefix(template, ".") + "}"
	}
	path := jsonpath.New("output").AllowMissingKeys(true)
	if err := path.Parse(template); err != nil {
		return nil, fmt.Errorf("the jsonpath template %s: %w", template, err)
	}
	return path, nil
}

// PrintPath returns the result of a template for a document, with a line feed. Numbers of a
// document mean the same however they were decoded; see numbersOf.
func PrintPath(path *jsonpath.JSONPath, document map[string]any) (string, error) {
	var text bytes.Buffer
	if err := path.Execute(&text, numbersOf(document)); err != nil {
		return "", fmt.Errorf("jsonpath: %w", err)
	}
	text.WriteByte('\n')
	return text.String(), nil
}

// numbersOf returns a value with int64 or float64 for each json.Number, which filters would compare
// as text. It changes maps and lists in place.
func numbersOf(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = numbersOf(v[key])
		}
	case []any:
		for i := range v {
			v[i] = numbersOf(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64() // out of range: infinite
		return n
	}
	return value
}
