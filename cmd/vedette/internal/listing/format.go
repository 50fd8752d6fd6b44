package listing

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/client-go/util/jsonpath"
)

// template is the form of a format with a template, for help texts and errors.
const template = "jsonpath=TEMPLATE"

// Format is a value of --output.
type Format struct {
	Kind string             // such as yaml or jsonpath; "" is the default of the command
	Path *jsonpath.JSONPath // of jsonpath
}

// ParseFormat parses a value of --output. formats are those that the command has besides its
// default, such as yaml and jsonpath=TEMPLATE.
//
// Errors: an unknown format; a wrong template; a template of a format that takes none.
func ParseFormat(text string, formats ...string) (f Format, err error) {
	kind, path, templated := strings.Cut(text, "=")
	takes := slices.Contains(formats, template)
	switch {
	case kind == "jsonpath" && takes:
		f.Path, err = ParsePath(path)
	case kind != "" && !slices.Contains(formats, kind), kind == "" && text != "":
		return f, fmt.Errorf("unknown output format %q; use %s", text, oneOf(formats))
	case templated && takes:
		return f, fmt.Errorf("the output format %s takes no template; %s does", kind, template)
	case templated:
		return f, fmt.Errorf("the output format %s takes no template; use %s", kind, oneOf(formats))
	}
	f.Kind = kind
	return f, err
}

// oneOf returns "a, b or c".
func oneOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
