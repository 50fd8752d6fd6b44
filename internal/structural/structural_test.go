package structural_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/internal/structural"
)

// parse returns the schema of an object with a property spec.
func parse(t *testing.T, spec string) *structural.Schema {
	t.Helper()
	text, err := yaml.YAMLToJSON([]byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	s, err := structural.Parse([]byte(`{"type":"object","properties":{"spec":` + string(text) + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := utiljson.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPrune: unknown fields are removed and named, except where the schema keeps them.
func TestPrune(t *testing.T) {
	for name, c := range map[string]struct{ spec, object, want, removed string }{
		"a field": {
			`{type: object, properties: {a: {type: string}}}`, `{"spec":{"a":"x","b":1},"status":{}}`,
			`{"spec":{"a":"x"}}`, "spec.b status",
		},
		"in lists and maps": {
			`{type: object, properties: {l: {type: array, items: {type: object, properties: {a: {type: string}}}}, m: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}}}`,
			`{"spec":{"l":[{"a":"x","b":1}],"m":{"k":{"a":"x","b":1}}}}`,
			`{"spec":{"l":[{"a":"x"}],"m":{"k":{"a":"x"}}}}`, "spec.l[0].b spec.m.k.b",
		},
		"preserved, except below a property": {
			`{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object}}}`,
			`{"spec":{"a":{"b":1},"c":{"d":[{"e":1}]}}}`, `{"spec":{"a":{},"c":{"d":[{"e":1}]}}}`, "spec.a.b",
		},
		"metadata": {
			`{type: object}`, `{"apiVersion":"v1","kind":"A","metadata":{"name":"x","nonsense":1},"spec":{}}`,
			`{"apiVersion":"v1","kind":"A","metadata":{"name":"x"},"spec":{}}`, "metadata.nonsense",
		},
		"an embedded object": {
			`{type: object, properties: {t: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}}}`,
			`{"spec":{"t":{"apiVersion":"v1","kind":"A","metadata":{"name":"x","no":1},"spec":{"a":1},"b":1}}}`,
			`{"spec":{"t":{"apiVersion":"v1","kind":"A","metadata":{"name":"x"},"spec":{}}}}`, "spec.t.b spec.t.metadata.no spec.t.spec.a",
		},
		"a list without items is empty of fields": {`{type: array}`, `{"spec":[{"a":1}]}`, `{"spec":[{}]}`, "spec[0].a"},
	} {
		t.Run(name, func(t *testing.T) {
			got := object(t, c.object)
			removed := parse(t, c.spec).Prune(got)
			if want := object(t, c.want); !reflect.DeepEqual(got, want) || strings.Join(removed, " ") != c.removed {
				t.Errorf("got %v without %q, want %v without %q", got, removed, want, c.removed)
			}
		})
	}
}

// TestDefaults: missing values and forbidden nulls get their default, also below another
// default, and forbidden nulls without a default go.
func TestDefaults(t *testing.T) {
	const spec = `
type: object
properties:
  a: {type: integer, default: 7}
  b: {type: object, default: {}, properties: {c: {type: string, default: x}}}
  d: {type: string, nullable: true, default: why}
  e: {type: string}
  l: {type: array, items: {type: object, properties: {on1: {type: boolean, default: false}}}}
  m: {type: object, additionalProperties: {type: string, default: z}}
`
	for given, want := range map[string]string{
		`{"spec":{}}`:                                       `{"spec":{"a":7,"b":{"c":"x"},"d":"why"}}`,
		`{"spec":{"a":null,"d":null,"e":null}}`:             `{"spec":{"a":7,"b":{"c":"x"},"d":null}}`,
		`{"spec":{"a":1,"b":{"c":"w"},"d":"v","l":[{}]}}`:   `{"spec":{"a":1,"b":{"c":"w"},"d":"v","l":[{"on1":false}]}}`,
		`{"spec":{"a":1,"b":{},"d":"","m":{"k":null}}}`:     `{"spec":{"a":1,"b":{"c":"x"},"d":"","m":{"k":"z"}}}`,
		`{"kind":"A"}`:                                      `{"kind":"A"}`,
		`{"spec":{"a":1,"b":{"c":"w"},"d":"v","e":"text"}}`: `{"spec":{"a":1,"b":{"c":"w"},"d":"v","e":"text"}}`,
	} {
		got := object(t, given)
		parse(t, spec).SetDefaults(got)
		if !reflect.DeepEqual(got, object(t, want)) {
			text, _ := json.Marshal(got)
			t.Errorf("%s: got %s, want %s", given, text, want)
		}
	}
}

// TestValidate: each keyword of a schema refuses what it must, with the words of a server.
func TestValidate(t *testing.T) {
	for _, c := range []struct{ spec, valid, invalid, want string }{
		{`{type: string}`, `"a"`, `1`, `spec: Invalid value: 1: spec in body must be of type string: "integer"`},
		{`{type: integer}`, `1`, `1.5`, `must be of type integer: "number"`},
		{`{type: number}`, `1`, `"1"`, `must be of type number: "string"`},
		{`{type: boolean}`, `true`, `"true"`, `must be of type boolean`},
		{`{type: object}`, `{}`, `[]`, `must be of type object: "array"`},
		{`{type: string, nullable: true}`, `null`, `{}`, `must be of type string`},
		{`{type: object, required: [a], properties: {a: {type: string}}}`, `{"a":""}`, `{}`, `spec.a: Required value`},
		{`{type: string, enum: [x, w]}`, `"w"`, `"z"`, `spec: Unsupported value: "z": supported values: "x", "w"`},
		{`{type: integer, minimum: 1}`, `1`, `0`, `spec in body should be greater than or equal to 1`},
		{`{type: integer, maximum: 3}`, `3`, `4`, `spec in body should be less than or equal to 3`},
		{`{type: number, minimum: 1, exclusiveMinimum: true}`, `1.5`, `1`, `should be greater than 1`},
		{`{type: number, maximum: 3, exclusiveMaximum: true}`, `2`, `3`, `should be less than 3`},
		{`{type: integer, multipleOf: 4}`, `8`, `6`, `should be a multiple of 4`},
		{`{type: integer, format: int32}`, `2147483647`, `2147483648`, `must be of type int32`},
		{`{type: string, minLength: 2}`, `"äö"`, `"ä"`, `spec in body should be at least 2 chars long`},
		{`{type: string, maxLength: 2}`, `"äö"`, `"abc"`, `Too long: may not be more than 2`},
		{`{type: string, pattern: '^a+$'}`, `"aa"`, `"b"`, `spec in body should match '^a+$'`},
		{`{type: string, format: date-time}`, `"2026-01-02T03:04:05Z"`, `"yesterday"`, `must be of type date-time`},
		{`{type: string, format: uuid}`, `"123e4567-e89b-12d3-a456-426614174000"`, `"x"`, `must be of type uuid`},
		{`{type: string, format: unheard-of}`, `"x"`, ``, ``},
		{`{type: array, items: {type: string}, minItems: 1}`, `["a"]`, `[]`, `should have at least 1 items`},
		{`{type: array, items: {type: string}, maxItems: 1}`, `["a"]`, `["a","b"]`, `Too many: 2: must have at most 1 item`},
		{`{type: array, items: {type: string}}`, `["a"]`, `["a",1]`, `spec[1] in body must be of type string`},
		{`{type: array, items: {type: string}, x-kubernetes-list-type: set}`, `["a","b"]`, `["a","b","a"]`, `spec[2]: Duplicate value: "a"`},
		{`{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, properties: {name: {type: string}}}}`, `[{"name":"a"},{"name":"b"}]`, `[{"name":"a"},{"name":"a"}]`, `spec[1]: Duplicate value: {"name":"a"}`},
		{`{type: object, additionalProperties: {type: integer}}`, `{"a":1}`, `{"a":"x"}`, `must be of type integer`},
		{`{type: object, minProperties: 1, additionalProperties: {type: string}}`, `{"a":"x"}`, `{}`, `should have at least 1 properties`},
		{`{type: object, maxProperties: 1, additionalProperties: {type: string}}`, `{"a":"x"}`, `{"a":"x","b":"y"}`, `Too many: 2`},
		{`{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}`, `"50%"`, `true`, `must be of type integer,string`},
		{`{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}`, `{"apiVersion":"v1","kind":"Pod"}`, `{"kind":"Pod"}`, `spec.apiVersion: Required value`},
		{`{type: object, oneOf: [{required: [a]}, {required: [b]}], properties: {a: {type: string}, b: {type: string}}}`, `{"a":""}`, `{"a":"","b":""}`, `(oneOf)`},
		{`{type: object, anyOf: [{required: [a]}, {required: [b]}], properties: {a: {type: string}, b: {type: string}}}`, `{"a":"","b":""}`, `{}`, `(anyOf)`},
		{`{type: object, allOf: [{required: [a]}], properties: {a: {type: string}}}`, `{"a":""}`, `{}`, `spec.a: Required value`},
		{`{type: object, not: {required: [a]}, properties: {a: {type: string}}}`, `{}`, `{"a":""}`, `(not)`},
	} {
		s := parse(t, c.spec)
		if mistakes := s.Validate(object(t, `{"spec":`+c.valid+`}`), nil); len(mistakes) > 0 {
			t.Errorf("%s refuses %s: %v", c.spec, c.valid, mistakes)
		}
		if c.invalid == "" {
			continue
		}
		bad := object(t, `{"spec":`+c.invalid+`}`)
		mistakes := s.Validate(bad, nil).ToAggregate()
		if mistakes == nil || !strings.Contains(mistakes.Error(), c.want) {
			t.Errorf("%s, %s: got %v, want %q", c.spec, c.invalid, mistakes, c.want)
		}
		if again := s.Validate(bad, bad); len(again) > 0 {
			t.Errorf("%s refuses a mistake of the object before it: %v", c.spec, again)
		}
	}
}

// TestParse: damaged schemas are errors, and rules are found wherever they are.
func TestParse(t *testing.T) {
	for _, text := range []string{`[]`, `{"properties":{"a":{"pattern":"("}}}`, `{"items":3}`} {
		if _, err := structural.Parse([]byte(text)); err == nil {
			t.Errorf("%s: got no error", text)
		}
	}
	rule := `{"x-kubernetes-validations":[{"rule":"self > 1"}]}`
	for text, want := range map[string]bool{
		`{}`: false, rule: true,
		`{"properties":{"a":{"items":` + rule + `}}}`:          true,
		`{"additionalProperties":` + rule + `}`:                true,
		`{"additionalProperties":true,"allOf":[` + rule + `]}`: true,
	} {
		s, err := structural.Parse([]byte(text))
		if err != nil || s.Rules() != want {
			t.Errorf("%s: got error %v, want rules %t", text, err, want)
		}
	}
	if !slices.IsSorted(parse(t, `{type: object}`).Prune(map[string]any{"b": 1, "a": 2})) {
		t.Error("the paths of removed fields are not in order")
	}
}
