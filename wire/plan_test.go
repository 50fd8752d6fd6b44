package wire

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/vedette-io/vedette/internal/testinput"
)

// apiTypes returns all types of the Kubernetes API with protobuf, in a fixed order.
func apiTypes() []reflect.Type {
	known := map[reflect.Type]bool{
		reflect.TypeFor[metav1.PartialObjectMetadata](): true, reflect.TypeFor[kruntime.Unknown](): true, reflect.TypeFor[metav1.APIResource](): true,
	}
	for _, t := range scheme.Scheme.AllKnownTypes() {
		if reflect.PointerTo(t).Implements(unmarshalerType) {
			known[t] = true
		}
	}
	var types []reflect.Type
	for t := range known {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b reflect.Type) int {
		return strings.Compare(a.PkgPath()+"."+a.Name(), b.PkgPath()+"."+b.Name())
	})
	return types
}

// fillFreeForm fills the fields that fill omits.
func fillFreeForm(r *rand.Rand, v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *metav1.FieldsV1:
		*p = *fieldsOf(texts[r.IntN(len(texts))])
		return
	case *kruntime.RawExtension:
		p.Raw = []byte(texts[r.IntN(len(texts))])
		return
	case *metav1.Time, *metav1.MicroTime:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillFreeForm(r, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			fillFreeForm(r, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			if field.CanSet() {
				fillFreeForm(r, field)
			}
		}
	}
}

// filled returns an encoded object of a type with random values.
func filled(t testing.TB, r *rand.Rand, typ reflect.Type) []byte {
	t.Helper()
	obj := reflect.New(typ)
	fill(r, obj.Elem())
	fillFreeForm(r, obj.Elem())
	return mustMarshal(t, obj.Interface().(interface{ Marshal() ([]byte, error) }))
}

// compareDecoders decodes body with the generated code and with the plan: once into a
// private object, and then three times into objects that share values, because a value is
// stored at its second occurrence. It fails if the objects or the errors differ.
func compareDecoders(t *testing.T, typ reflect.Type, body []byte) {
	t.Helper()
	want := reflect.New(typ)
	wantErr := want.Interface().(protoUnmarshaler).Unmarshal(bytes.Clone(body))
	for _, share := range []sharing{private, shareable, shareable, shareable} {
		got := reflect.New(typ)
		scratch := bytes.Clone(body)
		gotErr := decodePlanned(scratch, got.Interface().(protoUnmarshaler), share)
		clear(scratch) // reveals an object that aliases the bytes
		if (wantErr == nil) != (gotErr == nil) || wantErr != nil && wantErr.Error() != gotErr.Error() {
			t.Errorf("%v: got %v, want %v: %x", typ, gotErr, wantErr, body)
		}
		if wantErr == nil && !reflect.DeepEqual(want.Interface(), got.Interface()) {
			t.Errorf("%v: different objects from %x:\n%+v\n%+v", typ, body, got, want)
		}
	}
}

// TestPlansOfTheAPI checks that every type of the API has a plan, which decodes objects
// as servers send them, with the same result as the generated code.
func TestPlansOfTheAPI(t *testing.T) {
	types := apiTypes()
	if len(types) < 300 {
		t.Fatalf("got %d types", len(types))
	}
	t.Parallel()
	r := testinput.Rand(t)
	for _, typ := range types {
		p := planOf(typ)
		if p == nil {
			t.Errorf("%v has no plan", typ)
			continue
		}
		for range testinput.Cases(t, testinput.Size(t, 2, 10)) {
			body := filled(t, r, typ)
			if p.decode(body, placeOf(reflect.New(typ)), 0, private) < 0 {
				t.Errorf("%v: the plan did not decode %x", typ, body)
			}
			compareDecoders(t, typ, body)
		}
	}
}

// TestPlansOnDamage checks that truncated or modified bodies give the same object or
// error as with the generated code.
func TestPlansOnDamage(t *testing.T) {
	t.Parallel()
	r := testinput.Rand(t)
	for _, typ := range apiTypes() {
		for range testinput.Cases(t, testinput.Size(t, 1, 2)) {
			body := filled(t, r, typ)
			for range 10 {
				b := bytes.Clone(body[:r.IntN(len(body)+1)])
				if len(b) > 0 && r.IntN(3) > 0 {
					b = slices.Clone(body)
					b[r.IntN(len(b))] ^= 1 << r.IntN(8)
				}
				compareDecoders(t, typ, b)
			}
		}
	}
}

// lengthField encodes a field with a length.
func lengthField(num int, values ...string) string {
	v := strings.Join(values, "")
	b := binary.AppendUvarint(nil, uint64(num<<3|protoBytes))
	return string(binary.AppendUvarint(b, uint64(len(v)))) + v
}

// unusualForms are bodies of objects that current servers do not send, but that are valid
// or almost valid.
func unusualForms() map[string]struct {
	typ  reflect.Type
	body string
} {
	type form = struct {
		typ  reflect.Type
		body string
	}
	pod, config, extra := reflect.TypeFor[corev1.Pod](), reflect.TypeFor[corev1.ConfigMap](), reflect.TypeFor[metav1.APIResource]()
	security := reflect.TypeFor[corev1.PodSecurityContext]()
	name, label := lengthField(1, "n"), func(entry ...string) string { return lengthField(1, lengthField(11, entry...)) }
	data := func(entry ...string) string { return lengthField(2, entry...) }
	return map[string]form{
		"nothing":                               {pod, ""},
		"fields in another order":               {pod, lengthField(3, lengthField(1, "Running")) + lengthField(1, name)},
		"metadata twice":                        {pod, lengthField(1, name) + lengthField(1, lengthField(3, "ns"))},
		"a string twice":                        {pod, lengthField(1, name, lengthField(1, "other"))},
		"a list in two parts":                   {pod, lengthField(1, lengthField(14, "a"), lengthField(3, "ns"), lengthField(14, "b"))},
		"unknown fields":                        {pod, lengthField(1, lengthField(900, "x"), name, "\x98\x3f\x01") + lengthField(9, "y") + "\xa5\x1f1234\xa1\x1f12345678"},
		"an unknown group":                      {pod, lengthField(1, name) + "\xa3\x1f\x08\x01\xa4\x1f"},
		"the end of a group that did not begin": {pod, lengthField(1, name) + "\xa4\x1f"},
		"a number as a string":                  {pod, lengthField(1, lengthField(7, "x"))},
		"a string as a number":                  {pod, lengthField(1, "\x08\x01")},
		"a long tag":                            {pod, "\x8a\x80\x00\x03" + name},
		"a long tag among equal ones":           {pod, lengthField(1, lengthField(14, "a"), "\xf2\x00\x7a\x79"+strings.Repeat("b", 0x79))},
		"a tag beyond 32 bits":                  {pod, "\x8a\x80\x80\x80\x80\x01\x03" + name},
		"field zero":                            {pod, "\x02\x00"},
		"a number beyond 64 bits":               {pod, lengthField(1, "\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f")},
		"a number that does not end":            {pod, lengthField(1, "\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")},
		"an int32 of 64 bits":                   {reflect.TypeFor[corev1.ContainerPort](), "\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x18\x80\x80\x80\x80\x80\x01"},
		"a bool that is neither":                {reflect.TypeFor[corev1.PodSpec](), "\x58\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"},
		"packed numbers":                        {security, lengthField(4, "\x01\x02\x80\x01")},
		"packed and unpacked":                   {security, "\x20\x05" + lengthField(4, "\x01\x02") + "\x20\x06"},
		"a map entry with the value first":      {pod, label(lengthField(2, "v"), lengthField(1, "k"))},
		"a map entry without a value":           {pod, label(lengthField(1, "k"))},
		"a map entry without a key":             {pod, label(lengthField(2, "v"))},
		"an empty map entry":                    {pod, label()},
		"a map entry with another field":        {pod, label(lengthField(1, "k"), lengthField(2, "v"), lengthField(3, "x"))},
		"a key twice":                           {config, data(lengthField(1, "k"), lengthField(2, "v")) + data(lengthField(1, "k"), lengthField(2, "w"))},
		"a key that is too long":                {config, data("\x0a\x7fk", lengthField(2, "v"))},
		"a value beyond its entry":              {config, data(lengthField(1, "k"), "\x12\x03v") + "\x10\x01\x10\x01"},
		"empty bytes in a map":                  {config, lengthField(3, lengthField(1, "k"), lengthField(2, ""))},
		"a slice that is empty":                 {extra, lengthField(4, "")},
		"an invalid quantity":                   {reflect.TypeFor[corev1.ResourceRequirements](), lengthField(1, lengthField(1, "cpu"), lengthField(2, lengthField(1, "much")))},
		"an invalid time":                       {pod, lengthField(1, lengthField(8, "\x0a\x00"))},
		"the zero time":                         {pod, lengthField(1, lengthField(8, "\x08\x80\x92\xb8\xc3\x98\xfe\xff\xff\xff\x01"))},
		"an empty time":                         {pod, lengthField(1, lengthField(8), lengthField(9))},
	}
}

func TestPlansOnUnusualForms(t *testing.T) {
	for name, c := range unusualForms() {
		t.Run(name, func(t *testing.T) { compareDecoders(t, c.typ, []byte(c.body)) })
	}
}

// handWritten has a decoder that is not generated, although it returns the same result
// for most names.
type handWritten struct {
	Name string `protobuf:"bytes,1,opt,name=name"`
}

func (h *handWritten) Unmarshal(b []byte) error {
	f, err := nextField(b, 0)
	if h.Name = string(f.val); h.Name == "x" {
		h.Name = "by hand"
	}
	return err
}

// TestPlansAreVerified checks that a type whose Unmarshal is not generated has no plan, and
// neither has a type with wrong tags.
func TestPlansAreVerified(t *testing.T) {
	if planOf(reflect.TypeFor[handWritten]()) != nil {
		t.Error("got a plan for a handwritten decoder")
	}
	var h handWritten
	if err := decodePlanned([]byte(lengthField(1, "x")), &h, private); err != nil || h.Name != "by hand" {
		t.Errorf("got %+v, %v", h, err)
	}
	for field, damage := range map[string]func(p *plan){
		"swapped": func(p *plan) { p.slots[1].off, p.slots[2].off = p.slots[2].off, p.slots[1].off },
		"renumbered": func(p *plan) {
			p.slots[2], p.slots[4] = slot{}, p.slots[2]
			p.slots[4].tag = 4<<3 | protoBytes
		},
		"forgotten": func(p *plan) { p.slots[1].shape = absent },
		"a number":  func(p *plan) { p.slots[1].kind, p.slots[1].tag = int64s, 1<<3 },
	} {
		p := planner{}.plan(reflect.TypeFor[corev1.EnvVar]())
		if !p.verified() {
			t.Fatal("the plan of EnvVar is not verified")
		}
		p.slots, p.sample = append(p.slots, slot{}, slot{}), nil
		if field == "forgotten" {
			p.sample = []byte(lengthField(1, "n") + lengthField(2, "v"))
		}
		if damage(p); p.verified() {
			t.Errorf("%s: a wrong plan is verified", field)
		}
	}
}

// TestDecodedObjectsShareNothing checks that two objects from the same bytes have no
// common slice, map or pointer.
func TestDecodedObjectsShareNothing(t *testing.T) {
	r := testinput.Rand(t)
	for _, typ := range apiTypes() {
		body := filled(t, r, typ)
		owners := map[uintptr]int{}
		for i := range 4 { // repeated strings are shared from the third occurrence on
			obj := reflect.New(typ)
			if err := decodePlanned(body, obj.Interface().(protoUnmarshaler), private); err != nil {
				t.Fatal(err)
			}
			eachMutable(obj.Elem(), func(at uintptr) {
				if owner, taken := owners[at]; taken && owner != i {
					t.Errorf("%v: two objects share memory", typ)
				}
				owners[at] = i
			})
			runtime.KeepAlive(obj)
			defer runtime.KeepAlive(obj)
		}
	}
}

// eachMutable calls f with the address of everything in v that can be modified.
func eachMutable(v reflect.Value, f func(uintptr)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type().String() != "*time.Location" {
			if v.Type().Elem().Size() > 0 {
				f(v.Pointer())
			}
			eachMutable(v.Elem(), f)
		}
	case reflect.Slice:
		if v.Cap() > 0 && v.Type().Elem().Size() > 0 {
			f(v.Pointer())
		}
		for i := range v.Len() {
			eachMutable(v.Index(i), f)
		}
	case reflect.Map:
		if !v.IsNil() {
			f(v.Pointer())
		}
		for _, k := range v.MapKeys() {
			eachMutable(v.MapIndex(k), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			eachMutable(field, f)
		}
	case reflect.Interface:
		if !v.IsNil() {
			eachMutable(v.Elem(), f)
		}
	}
}
