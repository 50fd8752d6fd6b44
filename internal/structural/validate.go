package structural

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns the mistakes of an object, in the words of an API server. old is the object
// that it replaces, or nil: mistakes that old has too are accepted, so that an object that was
// valid under an earlier schema can be changed elsewhere.
func (s *Schema) Validate(obj, old map[string]any) field.ErrorList {
	mistakes := s.mistakes(nil, obj)
	if old == nil || len(mistakes) == 0 {
		return mistakes
	}
	earlier := map[string]bool{}
	for _, m := range s.mistakes(nil, old) {
		earlier[m.Error()] = true
	}
	return slices.DeleteFunc(mistakes, func(m *field.Error) bool { return earlier[m.Error()] })
}

// mistakes returns the mistakes of a value.
func (s *Schema) mistakes(at *field.Path, v any) (list field.ErrorList) {
	if s == nil || v == nil && s.Nullable {
		return nil
	}
	if m := s.checkType(at, v); m != nil {
		return field.ErrorList{m}
	}
	list = append(list, s.checkEnum(at, v)...)
	switch v := v.(type) {
	case map[string]any:
		list = append(list, s.checkMap(at, v)...)
	case []any:
		list = append(list, s.checkList(at, v)...)
	case string:
		list = append(list, s.checkText(at, v)...)
	case int64:
		list = append(list, s.checkNumber(at, v, float64(v))...)
	case float64:
		list = append(list, s.checkNumber(at, v, v)...)
	}
	return append(list, s.checkCombinations(at, v)...)
}

func (s *Schema) checkMap(at *field.Path, m map[string]any) (list field.ErrorList) {
	for _, name := range s.Required {
		if _, has := m[name]; !has {
			list = append(list, field.Required(at.Child(name), ""))
		}
	}
	if s.MinProperties != nil && int64(len(m)) < *s.MinProperties {
		list = append(list, field.Invalid(at, shown(m), fmt.Sprintf("%s in body should have at least %d properties", name(at), *s.MinProperties)))
	}
	if s.MaxProperties != nil && int64(len(m)) > *s.MaxProperties {
		list = append(list, field.TooMany(at, len(m), int(*s.MaxProperties)))
	}
	if s.Embedded && at != nil {
		list = append(list, checkEmbedded(at, m)...)
	}
	for _, key := range sortedKeys(m) {
		if s.Embedded && (key == "metadata" || at == nil && (key == "apiVersion" || key == "kind")) {
			continue // validated elsewhere
		}
		if p := s.property(key); p != nil {
			list = append(list, p.mistakes(at.Child(key), m[key])...)
		} else {
			list = append(list, s.additional().mistakes(memberOf(at, key, s), m[key])...)
		}
	}
	return list
}

// memberOf returns the path of a member of a map.
func memberOf(at *field.Path, key string, s *Schema) *field.Path {
	if s.Additional == nil || at == nil {
		return at.Child(key)
	}
	return at.Key(key)
}

func (s *Schema) checkList(at *field.Path, l []any) (list field.ErrorList) {
	if s.MaxItems != nil && int64(len(l)) > *s.MaxItems {
		list = append(list, field.TooMany(at, len(l), int(*s.MaxItems)))
	}
	if s.MinItems != nil && int64(len(l)) < *s.MinItems {
		list = append(list, field.Invalid(at, shown(l), fmt.Sprintf("%s in body should have at least %d items", name(at), *s.MinItems)))
	}
	if s.UniqueItems && len(duplicates(l, jsonOf)) > 0 {
		list = append(list, field.Invalid(at, shown(l), fmt.Sprintf("%s in body shouldn't contain duplicates", name(at))))
	}
	switch s.ListType {
	case "set":
		for _, i := range duplicates(l, jsonOf) {
			list = append(list, field.Duplicate(at.Index(i), shown(l[i])))
		}
	case "map":
		keys := func(v any) string { return jsonOf(s.keysOf(v)) }
		for _, i := range duplicates(l, keys) {
			list = append(list, field.Duplicate(at.Index(i), shown(s.keysOf(l[i]))))
		}
	}
	for i, v := range l {
		list = append(list, s.Items.mistakes(at.Index(i), v)...)
	}
	return list
}

// checkCombinations checks the schemas that a value must match besides.
func (s *Schema) checkCombinations(at *field.Path, v any) (list field.ErrorList) {
	matches := func(schemas []*Schema) (n int) {
		for _, one := range schemas {
			if len(one.mistakes(at, v)) == 0 {
				n++
			}
		}
		return n
	}
	wrong := func(what string) {
		list = append(list, field.Invalid(at, v, fmt.Sprintf("%q %s", name(at), what)))
	}
	for _, one := range s.AllOf {
		list = append(list, one.mistakes(at, v)...)
	}
	if len(s.AnyOf) > 0 && matches(s.AnyOf) == 0 {
		wrong("must validate at least one schema (anyOf)")
	}
	if n := matches(s.OneOf); len(s.OneOf) > 0 && n != 1 {
		wrong("must validate one and only one schema (oneOf)")
	}
	if s.Not != nil && len(s.Not.mistakes(at, v)) == 0 {
		wrong("must not validate the schema (not)")
	}
	return list
}
