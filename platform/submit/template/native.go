package template

import (
	"fmt"
	"math"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// maxDepth is the maximum nesting of values.
const maxDepth = 60

// ordered is a map that is iterated in the order of its names, so that a template always
// makes the same object from the same values.
type ordered struct {
	traits.Mapper
	names []string
}

// newOrdered returns the variable of a map.
func newOrdered(m map[string]string) ordered {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return ordered{types.NewStringStringMap(types.DefaultTypeAdapter, m), names}
}

// Iterator implements traits.Iterable.
func (o ordered) Iterator() traits.Iterator {
	return types.NewStringList(types.DefaultTypeAdapter, o.names).Iterator()
}

// isData reports whether an object may hold values of a type. A type that is unknown until
// evaluation may be data.
func isData(t *cel.Type) bool {
	switch t.Kind() {
	case types.BoolKind, types.DoubleKind, types.DynKind, types.IntKind, types.NullTypeKind, types.StringKind, types.UintKind, types.AnyKind, types.TypeParamKind:
		return true
	case types.ListKind, types.MapKind, types.OpaqueKind:
		for _, p := range t.Parameters() {
			if !isData(p) {
				return false
			}
		}
		return t.Kind() != types.OpaqueKind || t.TypeName() == "optional_type"
	}
	return t.IsAssignableType(types.NullType)
}

// native converts the value of an expression to a value of an object. keep is false for
// null, and for an absent optional value.
//
// Errors: a type that JSON does not support; more bytes than an object may have.
func (ev *evaluation) native(v ref.Val, depth int) (value any, keep bool, err error) {
	if depth > maxDepth {
		return nil, false, fmt.Errorf("the value is nested more than %d deep", maxDepth)
	}
	if ev.size += 4; ev.size > manifest.MaxObject {
		return nil, false, fmt.Errorf("the object has more than %d bytes", manifest.MaxObject)
	}
	switch v := v.(type) {
	case types.Null:
		return nil, false, nil
	case types.Bool:
		return bool(v), true, nil
	case types.Int:
		return int64(v), true, nil
	case types.Uint:
		if uint64(v) > math.MaxInt64 {
			return nil, false, fmt.Errorf("the number %d is too large", uint64(v))
		}
		return int64(v), true, nil
	case types.Double:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, false, fmt.Errorf("%v is no number of JSON", f)
		}
		return float64(v), true, nil
	case types.String:
		ev.size += len(v)
		if !isText(string(v)) {
			return nil, false, fmt.Errorf("the text has control characters, or is not UTF-8: %s", clip(string(v)))
		}
		return string(v), true, nil
	case *types.Optional:
		if !v.HasValue() {
			return nil, false, nil
		}
		return ev.native(v.GetValue(), depth+1)
	case traits.Mapper:
		return ev.nativeMap(v, depth)
	case traits.Lister:
		return ev.nativeList(v, depth)
	}
	return nil, false, fmt.Errorf("a value of type %s is not taken", v.Type().TypeName())
}

func (ev *evaluation) nativeMap(m traits.Mapper, depth int) (any, bool, error) {
	fields := map[string]any{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		name, ok := key.(types.String)
		if !ok || !isText(string(name)) {
			return nil, false, fmt.Errorf("the name of a field must be a text, not %v", key.Value())
		}
		ev.size += len(name)
		v, keep, err := ev.native(m.Get(key), depth+1)
		if err != nil {
			return nil, false, err
		}
		if keep {
			fields[string(name)] = v
		}
	}
	return fields, true, nil
}

func (ev *evaluation) nativeList(l traits.Lister, depth int) (any, bool, error) {
	items := []any{}
	for it := l.Iterator(); it.HasNext() == types.True; {
		v, keep, err := ev.native(it.Next(), depth+1)
		if err != nil {
			return nil, false, err
		}
		if keep {
			items = append(items, v)
		}
	}
	return items, true, nil
}
