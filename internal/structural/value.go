package structural

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkType compares the type of a value.
func (s *Schema) checkType(at *field.Path, v any) *field.Error {
	got := typeName(v)
	switch {
	case s.IntOrString && (got == "integer" || got == "string"):
		return nil
	case s.IntOrString:
		return field.TypeInvalid(at, v, fmt.Sprintf("%s in body must be of type integer,string: %q", at, got))
	case s.Type == "" || s.Type == got || s.Type == "number" && got == "integer":
		return nil
	}
	return field.TypeInvalid(at, v, fmt.Sprintf("%s in body must be of type %s: %q", name(at), s.Type, got))
}

// typeName returns the JSON schema type of a value.
func typeName(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case int64:
		return "integer"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// name returns a path for messages, which is empty for the object itself.
func name(at *field.Path) string {
	if at == nil {
		return ""
	}
	return at.String()
}

func (s *Schema) checkEnum(at *field.Path, v any) field.ErrorList {
	if len(s.Enum) == 0 || slices.ContainsFunc(s.Enum, func(e Value) bool { return equal(e.V, v) }) {
		return nil
	}
	var allowed []string
	for _, e := range s.Enum {
		text, isText := e.V.(string)
		if !isText {
			text = jsonOf(e.V)
		}
		allowed = append(allowed, text)
	}
	return field.ErrorList{field.NotSupported(at, v, allowed)}
}

// checkEmbedded checks an object within an object.
func checkEmbedded(at *field.Path, m map[string]any) (list field.ErrorList) {
	for _, key := range []string{"apiVersion", "kind"} {
		if text, _ := m[key].(string); text == "" {
			list = append(list, field.Required(at.Child(key), "must not be empty"))
		}
	}
	if metadata, has := m["metadata"]; has {
		if _, isMap := metadata.(map[string]any); !isMap {
			list = append(list, field.Invalid(at.Child("metadata"), shown(metadata), "must be an object"))
		}
	}
	return list
}

// keysOf returns the values that identify an element of a list.
func (s *Schema) keysOf(v any) map[string]any {
	element, _ := v.(map[string]any)
	keys := map[string]any{}
	for _, key := range s.ListMapKeys {
		if value, has := element[key]; has {
			keys[key] = value
		}
	}
	return keys
}

// asJSON is a map or a list in an error.
type asJSON struct{ value any }

// String returns the JSON of the value.
func (j asJSON) String() string { return jsonOf(j.value) }

// shown returns a value for an error. API servers show maps and lists as JSON, and earlier versions of
// apimachinery as Go.
func shown(v any) any {
	switch v.(type) {
	case map[string]any, []any:
		return asJSON{v}
	}
	return v
}

// duplicates returns the indexes of the elements whose identity an earlier element has.
func duplicates(l []any, identity func(any) string) (again []int) {
	seen := map[string]bool{}
	for i, v := range l {
		id := identity(v)
		if seen[id] {
			again = append(again, i)
		}
		seen[id] = true
	}
	return again
}

func (s *Schema) checkText(at *field.Path, text string) (list field.ErrorList) {
	n := int64(utf8.RuneCountInString(text))
	if s.MaxLength != nil && n > *s.MaxLength {
		list = append(list, field.TooLong(at, text, int(*s.MaxLength)))
	}
	if s.MinLength != nil && n < *s.MinLength {
		list = append(list, field.Invalid(at, text, fmt.Sprintf("%s in body should be at least %d chars long", name(at), *s.MinLength)))
	}
	if s.pattern != nil && !s.pattern.MatchString(text) {
		list = append(list, field.Invalid(at, text, fmt.Sprintf("%s in body should match '%s'", name(at), s.Pattern)))
	}
	if !s.IntOrString && !validFormat(s.Format, text) {
		list = append(list, field.Invalid(at, text, fmt.Sprintf("%s in body must be of type %s: %q", name(at), s.Format, text)))
	}
	return list
}

func (s *Schema) checkNumber(at *field.Path, v any, n float64) (list field.ErrorList) {
	wrong := func(format string, limit float64) {
		list = append(list, field.Invalid(at, v, name(at)+" in body should be "+fmt.Sprintf(format, limit)))
	}
	switch {
	case s.Maximum == nil:
	case s.ExclusiveMax && n >= *s.Maximum:
		wrong("less than %v", *s.Maximum)
	case n > *s.Maximum:
		wrong("less than or equal to %v", *s.Maximum)
	}
	switch {
	case s.Minimum == nil:
	case s.ExclusiveMin && n <= *s.Minimum:
		wrong("greater than %v", *s.Minimum)
	case n < *s.Minimum:
		wrong("greater than or equal to %v", *s.Minimum)
	}
	if s.MultipleOf != nil && *s.MultipleOf != 0 && math.Mod(n, *s.MultipleOf) != 0 {
		wrong("a multiple of %v", *s.MultipleOf)
	}
	if s.Format == "int32" && typeName(v) == "integer" && (n > math.MaxInt32 || n < math.MinInt32) {
		list = append(list, field.Invalid(at, v, fmt.Sprintf("%s in body must be of type int32: %q", name(at), "int64")))
	}
	return list
}

// equal compares JSON values, integers with floats too.
func equal(a, b any) bool {
	x, isNumber := number(a)
	y, areNumbers := number(b)
	if isNumber && areNumbers {
		return x == y
	}
	return reflect.DeepEqual(a, b)
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
