package listing

import (
	"bytes"
	"fmt"
	"strings"

	"k8s.io/client-go/util/jsonpath"
)

// ParsePath parses a template as kubectl does: a lone path may leave out the
// braces and the dot.
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

// PrintPath returns the result of a template for a document, with a line feed.
func PrintPath(path *jsonpath.JSONPath, document map[string]any) (string, error) {
	var text bytes.Buffer
	if err := path.Execute(&text, document); err != nil {
		return "", fmt.Errorf("jsonpath: %w", err)
	}
	text.WriteByte('\n')
	return text.String(), nil
}
