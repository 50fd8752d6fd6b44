package wire

import (
	"reflect"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// plan says how the protobuf of one type becomes a value of it: what the code
// that is generated for the type does, as a table.
//
// A plan knows the form that servers write: fields in the order of their numbers,
// each once, or all its elements in a row. For anything else it gives up, and the
// generated code decodes the object again; so what unusual bytes mean, and what is wrong
// with damaged ones, is answered by that code alone.
type plan struct {
	typ    reflect.Type
	slots  []slot                        // by number of the field
	own    func(m place, b []byte) error // decodes the value instead, where it is not nil
	sample []byte                        // an encoded value that is not zero
}

// slot is what to do with one field.
type slot struct {
	off   uintptr
	sub   *plan // of a message
	tag   uint32
	field int32 // its index in the struct
	shape shape
	kind  kind
	value kind         // of the values of a map: text, octets, quantity or message
	typ   reflect.Type // of the field
	elem  reflect.Type // of what a pointer points to, or of the elements
	size  uintptr      // of an element
}

// shape says how often a value may come, and how it is kept.
type shape uint8

const (
	absent shape = iota // no field has this number
	single
	pointer
	slice
	mapped
)

// kind says what is read off the wire.
type kind uint8

const (
	boolean kind = iota
	int32s
	int64s
	text
	octets
	message
	quantity // a message, in maps: most of those in a Pod
)

// plans holds what planOf found out, by type.
var plans sync.Map

// planned are the plans of all types that were met, those within others too.
var planned = struct {
	sync.Mutex
	planner
}{planner: planner{}}

// planOf returns the plan of a type, nil if its own Unmarshal is to be used.
func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	planned.Lock()
	defer planned.Unlock()
	p := planned.plan(t)
	if p != nil && (p.own != nil || !p.proven()) {
		p = nil
	}
	plans.Store(t, p)
	return p
}

var unmarshalerType = reflect.TypeFor[protoUnmarshaler]()

var quantityType = reflect.TypeFor[resource.Quantity]()

// byHand are the types of the API whose Unmarshal is written by hand, with an
// encoded value of each.
var byHand = map[reflect.Type]*plan{
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

// planner makes the plan of a type and of those within it, which may be itself.
type planner map[reflect.Type]*plan

// plan returns nil for a type that cannot be decoded.
func (all planner) plan(t reflect.Type) *plan {
	if p := byHand[t]; p != nil {
		return p
	}
	if p := all[t]; p != nil {
		return p
	}
	if !reflect.PointerTo(t).Implements(unmarshalerType) {
		return nil
	}
	p := &plan{typ: t}
	all[t] = p
	if !generated(t) || !all.fields(p) {
		p.slots = nil
		p.own = func(m place, b []byte) error { return unmarshalerAt(m, t).Unmarshal(b) }
		if t.Kind() == reflect.Slice { // the generated code begins with an empty one
			p.own = func(m place, b []byte) error {
				valueAt(m, t).Set(reflect.MakeSlice(t, 0, 0))
				return unmarshalerAt(m, t).Unmarshal(b)
			}
		}
	}
	return p
}

// fields fills in the slots of p, and reports whether it understands all fields.
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
		const most = 1000 // fields of a message: slots are found by number
		parts := strings.Split(tag, ",")
		if len(parts) < 2 {
			return false
		}
		num, err := strconv.Atoi(parts[1])
		if err != nil || num < 1 || num > most {
			return false
		}
		s := slot{off: f.Offset, field: int32(i), typ: f.Type, elem: f.Type, shape: single}
		if !all.classify(&s, f.Type) {
			return false
		}
		s.tag = uint32(num<<3 | protoBytes)
		if s.kind < text {
			s.tag = uint32(num<<3 | protoVarint)
		}
		for num >= len(p.slots) {
			p.slots = append(p.slots, slot{})
		}
		if p.slots[num].shape != absent {
			return false
		}
		p.slots[num] = s
	}
	return len(p.slots) > 0
}

// classify fills in what t, the type of a field, says of it. What the tag says
// beside the number is not always true.
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
	s.elem = t.Elem()
	s.size = s.elem.Size()
	if !all.classify(s, s.elem) {
		return false
	}
	if s.shape != mapped {
		return true
	}
	s.value, s.kind = s.kind, message
	if s.elem == quantityType {
		s.value = quantity
	}
	return s.value >= text
}

// kindOf returns what of a type is on the wire, if that is no message. A type that
// decodes itself is one.
func kindOf(t reflect.Type) (kind, bool) {
	if reflect.PointerTo(t).Implements(unmarshalerType) {
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
