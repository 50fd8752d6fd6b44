package structural

import "k8s.io/apimachinery/pkg/runtime"

// SetDefaults sets the defaults of a value, and removes nulls of properties that must not be null.
// Defaults replace such nulls.
func (s *Schema) SetDefaults(v any) {
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		s.defaultMap(v)
	case []any:
		for i := range v {
			if s.Items.refusesNull(v[i]) && s.Items.Default != nil {
				v[i] = s.Items.Default.copy()
			}
			s.Items.SetDefaults(v[i])
		}
	}
}

func (s *Schema) defaultMap(m map[string]any) {
	for name, p := range s.Properties {
		if now, has := m[name]; p.Default != nil && (!has || p.refusesNull(now)) {
			m[name] = p.Default.copy()
		}
	}
	for name, value := range m {
		p, known := s.Properties[name]
		if !known {
			p = s.additional()
		}
		if p.refusesNull(value) {
			if p.Default != nil {
				m[name] = p.Default.copy()
			} else {
				delete(m, name)
				continue
			}
		}
		p.SetDefaults(m[name])
	}
}

// refusesNull reports whether a value is null and must not be.
func (s *Schema) refusesNull(v any) bool { return s != nil && v == nil && !s.Nullable }

func (v *Value) copy() any { return runtime.DeepCopyJSONValue(v.V) }
