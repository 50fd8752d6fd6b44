package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"
)

// marshalYAML is yaml.Marshal for untrusted text: the library first produces JSON, and
// then rejects control characters that JSON allows and YAML does not.
func marshalYAML(document any) (string, error) {
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

// parsePath parses a template as kubectl does: a lone path may leave out the
// braces and the dot.
func parsePath(template string) (*jsonpath.JSONPath, error) {
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

func printPath(path *jsonpath.JSONPath, document map[string]any) (string, error) {
	var text bytes.Buffer
	if err := path.Execute(&text, document); err != nil {
		return "", fmt.Errorf("jsonpath: %w", err)
	}
	text.WriteByte('\n')
	return text.String(), nil
}
