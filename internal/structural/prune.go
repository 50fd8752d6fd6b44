package structural

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Prune removes the fields of a value that its schema does not have, and returns their paths, in
// order.
func (s *Schema) Prune(v any) []string {
	p := &pruner{}
	p.value("", v, s)
	slices.Sort(p.removed)
	return p.removed
}

// pruner collects the paths of removed fields.
type pruner struct{ removed []string }

// value prunes a value. A nil schema allows no fields.
func (p *pruner) value(path string, v any, s *Schema) {
	switch v := v.(type) {
	case map[string]any:
		p.fields(path, v, s)
	case []any:
		var items *Schema
		if s != nil {
			items = s.Items
		}
		for i := range v {
			if s != nil && s.PreserveUnknown && items == nil {
				continue
			}
			p.value(fmt.Sprintf("%s[%d]", path, i), v[i], items)
		}
	}
}

func (p *pruner) fields(path string, m map[string]any, s *Schema) {
	for name, value := range m {
		below := join(path, name)
		if s != nil && s.Embedded && p.header(below, name, value) {
			continue
		}
		switch property := s.property(name); {
		case property != nil:
			p.value(below, value, property)
		case s != nil && s.Additional != nil && s.Additional.Allowed:
			p.value(below, value, s.Additional.Schema)
		case s != nil && s.PreserveUnknown:
		default:
			p.removed = append(p.removed, below)
			delete(m, name)
		}
	}
}

// header prunes one of the fields that every object has, and reports whether this is one.
func (p *pruner) header(path, name string, value any) bool {
	switch name {
	case "apiVersion", "kind":
		return true
	case "metadata":
		metadata, _ := value.(map[string]any)
		for field := range metadata {
			if !slices.Contains(metadataFields(), field) {
				p.removed = append(p.removed, join(path, field))
				delete(metadata, field)
			}
		}
		return true
	}
	return false
}

// property returns the schema of a property; nil if the schema does not list it.
func (s *Schema) property(name string) *Schema {
	if s == nil {
		return nil
	}
	return s.Properties[name]
}

// metadataFields returns the names of the fields of ObjectMeta.
var metadataFields = sync.OnceValue(func() []string {
	var names []string
	t := reflect.TypeFor[metav1.ObjectMeta]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
})

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
