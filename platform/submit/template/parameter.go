package template

import (
	"regexp"
	"slices"
	"strings"
)

// Type is the type of a parameter's values.
type Type string

// The types of parameters, with the Go type of a value and the CEL type of the variable.
const (
	Text     Type = "text"     // string
	Integer  Type = "integer"  // int64, int
	Number   Type = "number"   // float64, double
	Quantity Type = "quantity" // string such as 16Gi, as Kubernetes writes it
	Boolean  Type = "boolean"  // bool
	Choice   Type = "choice"   // string, one of Choices
	List     Type = "list"     // []string, list(string)
	Map      Type = "map"      // map[string]string, map(string, string)
)

// allTypes are all types, in the order of documentation.
var allTypes = []Type{Text, Integer, Number, Quantity, Boolean, Choice, List, Map}

// Parameter is a parameter of a template. A form has a field for it, and a command line a
// flag.
type Parameter struct {
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	Help  string `json:"help,omitempty"`
	// Group is the heading under which a form shows the parameter.
	Group string `json:"group,omitempty"`
	Type  Type   `json:"type"`
	// Default is the default value, of the Go type of Type; nil means no default. An
	// optional parameter without a default is null in expressions; a list or map is empty.
	Default  any  `json:"default,omitempty"`
	Required bool `json:"required,omitempty"`
	// Min and Max are bounds for a number (int64, float64) or a quantity (string), the
	// characters of a text, or the items of a list or map (int64). nil means no bound.
	Min any `json:"min,omitempty"`
	Max any `json:"max,omitempty"`
	// Pattern is a regular expression that a whole text, each item of a list, or each
	// value of a map must match; "" means none.
	Pattern string   `json:"pattern,omitempty"`
	Choices []string `json:"choices,omitempty"`
	// Unit is shown after the value.
	Unit string `json:"unit,omitempty"`
	// Line is the line of the declaration.
	Line int `json:"-"`

	pattern *regexp.Regexp
}

// clone returns a copy that shares no mutable memory.
func (p *Parameter) clone() Parameter {
	c := *p
	c.Choices = slices.Clone(p.Choices)
	c.Default = cloneValue(p.Default)
	return c
}

// wants describes a valid value.
func (p *Parameter) wants() string {
	switch p.Type {
	case Integer:
		return "a whole number"
	case Number:
		return "a number"
	case Quantity:
		return "a quantity such as 500m or 16Gi"
	case Boolean:
		return "true or false"
	case List:
		return "a list of texts"
	case Map:
		return "a mapping of texts to texts"
	case Choice:
		return "one of " + strings.Join(p.Choices, ", ")
	}
	return "a text"
}
