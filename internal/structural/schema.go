package structural

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Schema is the schema of a value, in the form of a CustomResourceDefinition.
type Schema struct {
	Type       string             `json:"type"`
	Format     string             `json:"format"`
	Nullable   bool               `json:"nullable"`
	Default    *Value             `json:"default"`
	Properties map[string]*Schema `json:"properties"`
	Additional *Additional        `json:"additionalProperties"`
	Items      *Schema            `json:"items"`

	Required      []string `json:"required"`
	Enum          []Value  `json:"enum"`
	Minimum       *float64 `json:"minimum"`
	Maximum       *float64 `json:"maximum"`
	ExclusiveMin  bool     `json:"exclusiveMinimum"`
	ExclusiveMax  bool     `json:"exclusiveMaximum"`
	MultipleOf    *float64 `json:"multipleOf"`
	MinLength     *int64   `json:"minLength"`
	MaxLength     *int64   `json:"maxLength"`
	Pattern       string   `json:"pattern"`
	MinItems      *int64   `json:"minItems"`
	MaxItems      *int64   `json:"maxItems"`
	UniqueItems   bool     `json:"uniqueItems"`
	MinProperties *int64   `json:"minProperties"`
	MaxProperties *int64   `json:"maxProperties"`

	AllOf []*Schema `json:"allOf"`
	AnyOf []*Schema `json:"anyOf"`
	OneOf []*Schema `json:"oneOf"`
	Not   *Schema   `json:"not"`

	PreserveUnknown bool              `json:"x-kubernetes-preserve-unknown-fields"`
	IntOrString     bool              `json:"x-kubernetes-int-or-string"`
	Embedded        bool              `json:"x-kubernetes-embedded-resource"`
	ListType        string            `json:"x-kubernetes-list-type"`
	ListMapKeys     []string          `json:"x-kubernetes-list-map-keys"`
	Validations     []json.RawMessage `json:"x-kubernetes-validations"`

	pattern *regexp.Regexp
}

// Value is a JSON value, with integers as int64.
type Value struct{ V any }

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(text []byte) error { return utiljson.Unmarshal(text, &v.V) }

// Additional is the schema of the members of a map, or whether there may be any.
type Additional struct {
	Allowed bool
	Schema  *Schema
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *Additional) UnmarshalJSON(text []byte) error {
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] == '{' {
		a.Allowed, a.Schema = true, &Schema{}
		return json.Unmarshal(text, a.Schema)
	}
	return json.Unmarshal(text, &a.Allowed)
}

// Parse decodes the schema of the objects of a type.
//
// Errors: JSON that is not a schema; a pattern that is not a regular expression.
func Parse(text []byte) (*Schema, error) {
	root := &Schema{}
	if err := json.Unmarshal(text, root); err != nil {
		return nil, fmt.Errorf("decode the schema: %w", err)
	}
	for s := range root.all() {
		if s.Pattern == "" {
			continue
		}
		var err error
		if s.pattern, err = regexp.Compile(s.Pattern); err != nil {
			return nil, fmt.Errorf("the pattern %q of the schema: %w", s.Pattern, err)
		}
	}
	root.Embedded = true
	return root, nil
}

// Rules reports whether the schema has rules in x-kubernetes-validations.
func (s *Schema) Rules() bool {
	for one := range s.all() {
		if len(one.Validations) > 0 {
			return true
		}
	}
	return false
}

// all returns the schema and all schemas in it.
func (s *Schema) all() iter.Seq[*Schema] {
	return func(yield func(*Schema) bool) { s.visit(yield) }
}

func (s *Schema) visit(yield func(*Schema) bool) bool {
	if s == nil {
		return true
	}
	if !yield(s) {
		return false
	}
	for _, p := range s.Properties {
		if !p.visit(yield) {
			return false
		}
	}
	for _, list := range [][]*Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, one := range list {
			if !one.visit(yield) {
				return false
			}
		}
	}
	return s.additional().visit(yield) && s.Items.visit(yield) && s.Not.visit(yield)
}

// additional returns the schema of members that the schema does not list, or nil.
func (s *Schema) additional() *Schema {
	if s.Additional == nil {
		return nil
	}
	return s.Additional.Schema
}
