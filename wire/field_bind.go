package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/vedette-io/vedette/internal/nearest"
)

// leaves are the structs that are scalars in JSON.
var leaves = map[reflect.Type]leaf{
	reflect.TypeFor[metav1.Time]():        leafTime,
	reflect.TypeFor[metav1.MicroTime]():   leafMicroTime,
	reflect.TypeFor[metav1.Duration]():    leafDuration,
	reflect.TypeFor[resource.Quantity]():  leafQuantity,
	reflect.TypeFor[intstr.IntOrString](): leafIntOrString,
}

// zeroes has the values of absent fields: the JSON form of the zero value. The zero time
// is null, which is not a value.
var zeroes = map[leaf][]byte{
	leafText: []byte(""), leafInt: []byte("0"), leafUint: []byte("0"), leafBool: []byte("false"),
	leafDuration: []byte("0s"), leafQuantity: []byte("0"), leafIntOrString: []byte("0"),
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	protoMessages = reflect.TypeFor[protoUnmarshaler]()
)

// binder resolves a path through a Go struct of the Kubernetes API. The struct tags have
// the JSON names and protobuf numbers of the fields.
type binder struct {
	text  string
	root  reflect.Type
	t     reflect.Type // type of the value after the steps so far
	steps []protoStep
	leaf  leaf

	numbered          bool // fields have protobuf numbers
	fixed, protoFixed int  // number of trailing steps that are non-pointer struct members
}

func (b *binder) fail(s *step, format string, args ...any) error {
	return &PathError{Path: b.text, Column: s.column, Reason: fmt.Sprintf(format, args...)}
}

func (b *binder) bind(steps []step) error {
	for i := range steps {
		s := &steps[i]
		if err := b.step(s); err != nil {
			return err
		}
		if b.t.Kind() == reflect.Pointer {
			b.t = b.t.Elem()
			b.loosen()
		}
	}
	return b.end(&steps[len(steps)-1])
}

// loosen records that the value at the current step may be absent.
func (b *binder) loosen() { b.fixed, b.protoFixed = 0, 0 }

func (b *binder) step(s *step) error {
	if _, scalar := leaves[b.t]; scalar {
		return b.fail(s, "%s is a scalar and has no fields", b.t)
	}
	if b.t.Implements(jsonMarshaler) || reflect.PointerTo(b.t).Implements(jsonMarshaler) {
		return b.fail(s, "%s has no fixed JSON form", b.t)
	}
	switch kind := b.t.Kind(); {
	case kind == reflect.Struct && s.kind == stepMember:
		return b.member(s)
	case kind == reflect.Struct:
		return b.fail(s, "%s is not a list", b.t)
	case kind == reflect.Map:
		return b.entry(s)
	case kind == reflect.Slice && s.kind == stepMember:
		return b.fail(s, "%s is a list: write [*] before %q", b.t, s.name)
	case kind == reflect.Slice:
		return b.element(s)
	}
	return b.fail(s, "%s is a scalar and has no fields", b.t)
}

// member adds a step to a field of a struct.
func (b *binder) member(s *step) error {
	f, nums, found := structField(b.t, s.name)
	if !found {
		return b.fail(s, "%s has no field %q; the closest is %q", b.t, s.name, nearest.Of(s.name, fieldNames(b.t, nil)))
	}
	for _, num := range nums {
		if num == 0 && b.numbered {
			return b.fail(s, "the field %q of %s is not in protobuf", s.name, b.t)
		}
		b.steps = append(b.steps, protoStep{kind: protoField, num: num, once: true})
	}
	b.t = f.Type
	b.fixed++
	b.protoFixed += len(nums)
	if k := b.t.Kind(); k == reflect.Map || k == reflect.Slice {
		b.steps[len(b.steps)-1].once = false
	}
	return nil
}

// wrapped reports whether a list is a message with its elements in field 1, such as
// metav1.Verbs. This form distinguishes nil from empty in protobuf.
func (b *binder) wrapped() bool { return reflect.PointerTo(b.t).Implements(protoMessages) }

// entry adds a step to a value of a map.
func (b *binder) entry(s *step) error {
	switch {
	case s.kind == stepWhere:
		return b.fail(s, "%s is a map: filters apply only to lists", b.t)
	case b.t.Key().Kind() != reflect.String:
		return b.fail(s, "the keys of %s are not strings", b.t)
	case s.kind == stepEvery:
		b.steps = append(b.steps, protoStep{kind: protoAny, once: true})
	default:
		b.steps = append(b.steps, protoStep{kind: protoEntry, once: true, text: s.name})
	}
	b.t = b.t.Elem()
	b.loosen()
	return nil
}

// element adds a step to the elements of a list.
func (b *binder) element(s *step) error {
	if b.wrapped() {
		b.steps = append(b.steps, protoStep{kind: protoField, num: 1})
	}
	b.loosen()
	b.t = b.t.Elem()
	if b.t.Kind() == reflect.Pointer {
		b.t = b.t.Elem()
	}
	if s.kind == stepEvery {
		return nil
	}
	if b.t.Kind() != reflect.Struct {
		return b.fail(s, "the elements are not objects: a filter needs a field to compare")
	}
	f, nums, found := structField(b.t, s.name)
	if !found {
		return b.fail(s, "%s has no field %q; the closest is %q", b.t, s.name, nearest.Of(s.name, fieldNames(b.t, nil)))
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.String || b.numbered && slices.Contains(nums, 0) {
		return b.fail(s, "the field %q of %s is not a string: a filter compares strings", s.name, b.t)
	}
	b.steps = append(b.steps, protoStep{kind: protoWhere, where: nums, text: s.text})
	return nil
}

// end determines the type of the value at the end of the path.
func (b *binder) end(s *step) error {
	var scalar bool
	if b.leaf, scalar = leaves[b.t]; scalar {
		return nil
	}
	if b.t.Implements(jsonMarshaler) || reflect.PointerTo(b.t).Implements(jsonMarshaler) {
		return b.fail(s, "%s has no fixed JSON form", b.t)
	}
	switch k := b.t.Kind(); k {
	case reflect.String:
		b.leaf = leafText
	case reflect.Bool:
		b.leaf = leafBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		b.leaf = leafInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		b.leaf = leafUint
	case reflect.Map:
		return b.fail(s, "%s is a map: name one key or write [*]", b.t)
	case reflect.Slice:
		if b.t.Elem().Kind() == reflect.Uint8 {
			return b.fail(s, "%s is bytes, not text", b.t)
		}
		return b.fail(s, "%s is a list: write [*] after it", b.t)
	case reflect.Struct:
		return b.fail(s, "%s is an object: name one of its fields, such as %q", b.t, nearest.Of("", fieldNames(b.t, nil)))
	default:
		return b.fail(s, "%s cannot be read as text", b.t)
	}
	return nil
}

// structField finds a field by its JSON name. In JSON, the fields of an embedded struct
// without a name belong to the outer object, but in protobuf they are in a separate
// message, so there may be several numbers. A number is 0 if the field is not in
// protobuf.
func structField(t reflect.Type, name string) (f reflect.StructField, nums []int, found bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		known, inline := jsonName(f)
		if inline {
			if inner, nums, found := structField(f.Type, name); found {
				return inner, append([]int{protoNumber(f)}, nums...), true
			}
		} else if known == name && known != "" {
			return f, []int{protoNumber(f)}, true
		}
	}
	return f, nil, false
}

// fieldNames appends the JSON names of the fields of t.
func fieldNames(t reflect.Type, names []string) []string {
	for i := range t.NumField() {
		f := t.Field(i)
		switch name, inline := jsonName(f); {
		case inline:
			names = fieldNames(f.Type, names)
		case name != "":
			names = append(names, name)
		}
	}
	return names
}

// jsonName returns the JSON name of a field, or "" if it has none. inline reports that
// the fields of its struct belong to the outer object.
func jsonName(f reflect.StructField) (name string, inline bool) {
	tag := f.Tag.Get("json")
	name, _, _ = strings.Cut(tag, ",")
	switch {
	case tag == "-" || !f.IsExported():
		return "", false
	case name != "":
		return name, false
	case f.Anonymous && f.Type.Kind() == reflect.Struct:
		return "", true
	}
	return f.Name, false
}

// protoNumber returns the protobuf number of a field, or 0 if it has none.
func protoNumber(f reflect.StructField) int {
	_, rest, _ := strings.Cut(f.Tag.Get("protobuf"), ",")
	num, _, _ := strings.Cut(rest, ",")
	n, err := strconv.Atoi(num)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// FieldOf binds a path to T. For a T with protobuf (the built-in types and
// PartialObjectMetadata), the path is checked against the Go struct, by the names of
// the JSON tags, and must end at a scalar. For all other types (Unstructured, custom
// resources) any path is accepted, because the server may send fields that T does not
// have. A path that leads nowhere yields no values.
//
// Errors: *PathError for a path that cannot be parsed, for a field that T does not have
// (with the closest field of T), and for a field that is not a scalar. The fields
// apiVersion and kind of a T with protobuf are rejected: records do not hold them,
// because they belong to the collection.
func FieldOf[T any](path string) (*Field, error) {
	p, err := ParsePath(path)
	if err != nil {
		return nil, err
	}
	f := &Field{path: p}
	b := binder{text: path, t: reflect.TypeFor[T](), root: reflect.TypeFor[T](), numbered: Codec[T]{}.Protobuf()}
	err = b.bind(p.steps)
	if err != nil && b.numbered {
		return nil, err
	}
	if err != nil {
		return f, nil // T lacks the field, but the server may send it
	}
	f.leaf, f.zero = b.leaf, zeroes[b.leaf]
	if f.zero != nil {
		f.fixed, f.protoFixed = b.fixed, b.protoFixed
	}
	if b.numbered {
		f.proto = b.steps
	}
	return f, nil
}
