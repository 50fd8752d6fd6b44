package wire

import (
	"path"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// plan describes how the protobuf of one type is decoded. It is the generated code of the
// type as a table.
//
// A plan supports the form that servers write: fields in the order of their numbers, each
// once, or with all its elements in a row. For any other form it gives up, and the
// generated code decodes the object again. So only that code interprets unusual bytes and
// reports damaged ones.
type plan struct {
	typ    reflect.Type
	slots  []slot                        // by field number
	own    func(m place, b []byte) error // if not nil, decodes the value instead
	sample []byte                        // an encoded value that is not zero; nil for encoded
}

// slot describes how to decode one field.
type slot struct {
	sub   *plan        // plan of a message
	typ   reflect.Type // type of the field
	off   uint32
	size  uint32 // size of an element
	tag   uint32
	field int32 // index in the struct
	shape shape
	kind  kind
	value kind // kind of the values of a map: text, octets, quantity or message
}

// shape describes how often a value may occur and how it is stored.
type shape uint8

const (
	absent shape = iota // no field has this number
	single
	pointer
	slice
	mapped
)

// kind is the kind of a value on the wire.
type kind uint8

const (
	boolean kind = iota
	int32s
	int64s
	text
	octets
	message
	quantity // a message; used for the values of maps
)

// plans caches the results of planOf by type.
var plans sync.Map

// planned has the plans of all types so far, including nested types.
var planned = struct {
	sync.Mutex
	planner
}{planner: planner{}}

var unmarshalerType = reflect.TypeFor[protoUnmarshaler]()

var quantityType = reflect.TypeFor[resource.Quantity]()

// handwritten has the API types with a handwritten Unmarshal, and an encoded value of each.
var handwritten = map[reflect.Type]*plan{
	reflect.TypeFor[metav1.Time](): {sample: []byte("\x08\x07"), own: func(m place, b []byte) error {
		return as[metav1.Time](m).Unmarshal(b)
	}},
	reflect.TypeFor[metav1.MicroTime](): {sample: []byte("\x08\x07\x10\x88\x27"), own: func(m place, b []byte) error {
		return as[metav1.MicroTime](m).Unmarshal(b)
	}},
	reflect.TypeFor[metav1.FieldsV1](): {sample: []byte("\x0a\x02{}"), own: func(m place, b []byte) error {
		return as[metav1.FieldsV1](m).Unmarshal(b)
	}},
	quantityType: {sample: []byte("\x0a\x031Gi"), own: func(m place, b []byte) error {
		return unmarshalQuantity(as[resource.Quantity](m), b)
	}},
}

// planner creates the plan of a type and of its nested types, which may be recursive.
type planner map[reflect.Type]*plan

// plan returns nil for a type that cannot be decoded.
func (all planner) plan(t reflect.Type) *plan {
	if p := handwritten[t]; p != nil {
		return p
	}
	if p := all[t]; p != nil {
		return p
	}
	if !unmarshals(t) {
		return nil
	}
	p := &plan{typ: t}
	all[t] = p
	if !generated(t) || !all.fields(p) {
		p.slots = nil
		p.own = func(m place, b []byte) error { return unmarshalerAt(m, t).Unmarshal(b) }
		if t.Kind() == reflect.Slice { // the generated code begins with an empty slice
			p.own = func(m place, b []byte) error {
				valueAt(m, t).Set(reflect.MakeSlice(t, 0, 0))
				return unmarshalerAt(m, t).Unmarshal(b)
			}
		}
	}
	return p
}

// fields sets the slots of p, and reports whether all fields are supported.
func (all planner) fields(p *plan) bool {
	if p.typ.Kind() != reflect.Struct {
		return false
	}
	for i := range p.typ.NumField() {
		f := p.typ.Field(i)
		tag := f.Tag.Get("protobuf")
		if tag == "" && (f.Type == reflect.TypeFor[metav1.TypeMeta]() || f.Type.Kind() == reflect.Interface) || tag == "-" {
			continue // not on the wire
		}
		const most = 1000 // limit of field numbers, because slots are indexed by number
		parts := strings.Split(tag, ",")
		if len(parts) < 2 {
			return false
		}
		num, err := strconv.Atoi(parts[1])
		if err != nil || num < 1 || num > most {
			return false
		}
		s := slot{off: uint32(f.Offset), field: int32(i), typ: f.Type, shape: single}
		if !all.classify(&s, f.Type) {
			return false
		}
		s.tag = uint32(num<<3 | protoBytes)
		if s.kind < text {
			s.tag = uint32(num<<3 | protoVarint)
		}
		if more := num + 1 - len(p.slots); more > 0 {
			p.slots = append(p.slots, make([]slot, more)...)
		}
		if p.slots[num].shape != absent {
			return false
		}
		p.slots[num] = s
	}
	p.slots = slices.Clone(p.slots) // without spare room
	return len(p.slots) > 0
}

// classify sets the properties of a slot that depend on t, the type of the field. Other
// parts of the tag than the number are not always correct.
func (all planner) classify(s *slot, t reflect.Type) bool {
	if kind, ok := kindOf(t); ok {
		s.kind = kind
		return true
	}
	if s.sub = all.plan(t); s.sub != nil {
		s.kind = message
		return true
	}
	if s.shape != single {
		return false
	}
	switch t.Kind() {
	case reflect.Pointer:
		s.shape = pointer
	case reflect.Slice:
		s.shape = slice
	case reflect.Map:
		s.shape = mapped
		if t.Key().Kind() != reflect.String {
			return false
		}
	default:
		return false
	}
	elem := t.Elem()
	s.size = uint32(elem.Size())
	if !all.classify(s, elem) {
		return false
	}
	if s.shape != mapped {
		return true
	}
	s.value, s.kind = s.kind, message
	if elem == quantityType {
		s.value = quantity
	}
	return s.value >= text
}

// kindOf returns the kind of a type on the wire, if it is not a message. A type with an
// Unmarshal method is a message.
func kindOf(t reflect.Type) (kind, bool) {
	if unmarshals(t) {
		return 0, false
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolean, true
	case reflect.Int32:
		return int32s, true
	case reflect.Int64:
		return int64s, true
	case reflect.String:
		return text, true
	case reflect.Slice:
		return octets, t.Elem().Kind() == reflect.Uint8
	}
	return 0, false
}

// unmarshals reports whether a type decodes itself. Only named types have methods, and to ask
// for the pointer to another type would create a type that stays.
func unmarshals(t reflect.Type) bool {
	return t.PkgPath() != "" && reflect.PointerTo(t).Implements(unmarshalerType)
}

// protoUnmarshaler is implemented by every built-in type of the Kubernetes API.
type protoUnmarshaler interface{ Unmarshal([]byte) error }

// generated reports whether the Unmarshal of a type comes from the generator of the
// Kubernetes API. A handwritten method may do anything.
func generated(t reflect.Type) bool {
	m, ok := reflect.PointerTo(t).MethodByName("Unmarshal")
	if !ok {
		return false
	}
	pc := m.Func.Pointer()
	f := runtime.FuncForPC(pc)
	if f == nil {
		return false
	}
	file, _ := f.FileLine(pc)
	return path.Base(file) == "generated.pb.go"
}

// unmarshalerAt returns the value at m, of type t, as an unmarshaler.
func unmarshalerAt(m place, t reflect.Type) protoUnmarshaler {
	return valueAt(m, t).Addr().Interface().(protoUnmarshaler)
}
