package rule

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// viewType is the name of the type of old and new.
const viewType = "vedette.View"

// errMissing is the error of a field without a value.
var errMissing = errors.New("the value is not known")

// field is a field of old and new in a condition.
type field struct {
	name string
	kind *cel.Type
	// of returns the value, or nil if it is missing.
	of func(in *Input, v *View) ref.Val
}

// fields are the fields of old and new, in the order of the documentation.
var fields = []field{
	{"state", cel.StringType, func(_ *Input, v *View) ref.Val { return types.String(v.State) }},
	{"raw", cel.StringType, func(_ *Input, v *View) ref.Val { return types.String(v.Raw) }},
	{"reason", cel.StringType, func(_ *Input, v *View) ref.Val { return types.String(v.Reason) }},
	{"message", cel.StringType, func(_ *Input, v *View) ref.Val { return types.String(v.Message) }},
	{"since", cel.TimestampType, since},
	{"duration", cel.DurationType, duration},
	{"late", cel.BoolType, func(in *Input, _ *View) ref.Val { return types.Bool(in.Late) }},
	{"cluster", cel.StringType, func(in *Input, _ *View) ref.Val { return types.String(in.Object.Cluster) }},
	{"type", cel.StringType, func(in *Input, _ *View) ref.Val { return types.String(in.Object.Type.String()) }},
	{"namespace", cel.StringType, func(in *Input, _ *View) ref.Val { return types.String(in.Object.Namespace) }},
	{"name", cel.StringType, func(in *Input, _ *View) ref.Val { return types.String(in.Object.Name) }},
	{"labels", cel.MapType(cel.StringType, cel.StringType), labelsOf},
	{"queue", cel.StringType, func(in *Input, _ *View) ref.Val { return types.String(in.Object.Queue) }},
	{"owner", cel.StringType, func(in *Input, _ *View) ref.Val { return types.String(in.Object.Owner) }},
	{"submitter", cel.StringType, func(in *Input, _ *View) ref.Val { return types.String(in.Object.Submitter) }},
	{"controller", cel.StringType, func(in *Input, _ *View) ref.Val { return types.String(in.Object.Controller) }},
	{nodeField, cel.StringType, nodeOf},
}

// nodeField is the field of the node. Its value is known only after the facts of a message are
// read.
const nodeField = "node"

// nodeOf returns the node, or nil if it is unknown.
func nodeOf(in *Input, _ *View) ref.Val {
	if in.Object.Node == "" {
		return nil
	}
	return types.String(in.Object.Node)
}

func since(_ *Input, v *View) ref.Val {
	if v.Since.IsZero() {
		return nil
	}
	return types.Timestamp{Time: v.Since}
}

// duration returns how long the state lasted. It is known only for the old state.
func duration(in *Input, v *View) ref.Val {
	if d := in.spent(); d > 0 && v == &in.Old {
		return types.Duration{Duration: d}
	}
	return nil
}

func labelsOf(in *Input, _ *View) ref.Val {
	return types.NewStringStringMap(types.DefaultTypeAdapter, in.Object.Labels)
}

// side is old or new of one input. It converts each field once.
type side struct {
	in   *Input
	view *View
	seen []ref.Val // by the index of the field; nil means not yet converted
}

func newSide(in *Input, view *View) side { return side{in, view, make([]ref.Val, len(fields))} }

// unknownSide returns a side of which only the state is known.
func unknownSide(in *Input, view *View) side {
	s := newSide(in, view)
	for i := range s.seen[1:] {
		s.seen[i+1] = types.NewUnknown(int64(i), nil)
	}
	return s
}

func (s *side) value(i int) ref.Val {
	if s.seen[i] == nil {
		s.seen[i] = fields[i].of(s.in, s.view)
	}
	return s.seen[i]
}

// ConvertToNative implements ref.Val.
func (s *side) ConvertToNative(to reflect.Type) (any, error) {
	return nil, fmt.Errorf("%s is not %s", viewType, to)
}

// ConvertToType implements ref.Val.
func (s *side) ConvertToType(to ref.Type) ref.Val {
	if to == types.TypeType {
		return types.NewObjectType(viewType)
	}
	return types.NewErr("%s is not %s", viewType, to)
}

// Equal implements ref.Val: two views are equal if their states are.
func (s *side) Equal(other ref.Val) ref.Val {
	o, ok := other.(*side)
	if !ok {
		return types.False
	}
	a, b := s.view, o.view
	return types.Bool(a.State == b.State && a.Raw == b.Raw && a.Reason == b.Reason && a.Message == b.Message && a.Since.Equal(b.Since))
}

// Type implements ref.Val.
func (s *side) Type() ref.Type { return types.NewObjectType(viewType) }

// Value implements ref.Val.
func (s *side) Value() any { return s }

// Get implements traits.Indexer, for a view whose type is unknown at compile time.
func (s *side) Get(index ref.Val) ref.Val {
	for i, f := range fields {
		if index.Equal(types.String(f.name)) == types.True {
			if v := s.value(i); v != nil {
				return v
			}
			return types.WrapErr(errMissing)
		}
	}
	return types.NewErr("old and new have no field %v", index)
}

// provider provides the fields of old and new to CEL.
type provider struct {
	*types.Registry
	fields map[string]*types.FieldType
}

func newProvider() (*provider, error) {
	registry, err := types.NewRegistry()
	if err != nil {
		return nil, err
	}
	p := &provider{registry, map[string]*types.FieldType{}}
	for i, f := range fields {
		p.fields[f.name] = &types.FieldType{
			Type: f.kind,
			IsSet: func(target any) bool {
				s, ok := target.(*side)
				if !ok {
					return false
				}
				v := s.value(i)
				zero, ok := v.(interface{ IsZeroValue() bool })
				return v != nil && (!ok || !zero.IsZeroValue())
			},
			GetFrom: func(target any) (any, error) {
				if s, ok := target.(*side); ok {
					if v := s.value(i); v != nil {
						return v, nil
					}
				}
				return nil, errMissing
			},
		}
	}
	return p, nil
}

// FindStructType implements types.Provider.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if name == viewType {
		return types.NewTypeTypeWithParam(types.NewObjectType(viewType)), true
	}
	return p.Registry.FindStructType(name)
}

// FindStructFieldNames implements types.Provider.
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	if name == viewType {
		return slices.Sorted(maps.Keys(p.fields)), true
	}
	return p.Registry.FindStructFieldNames(name)
}

// FindStructFieldType implements types.Provider.
func (p *provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if name == viewType {
		f, ok := p.fields[field]
		return f, ok
	}
	return p.Registry.FindStructFieldType(name, field)
}
