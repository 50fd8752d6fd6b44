package wire

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/internal/testinput"
)

// nested is a recursive type.
type nested struct {
	Inner *nested `protobuf:"bytes,1,opt,name=inner"`
	Depth int64   `protobuf:"varint,2,opt,name=depth"`
}

// TestPlansAreNotDeep checks that nesting is rejected at maxDepth, before it uses much
// stack.
func TestPlansAreNotDeep(t *testing.T) {
	p := &plan{typ: reflect.TypeFor[nested]()}
	p.slots = []slot{{}, {tag: 1<<3 | protoBytes, shape: pointer, kind: message, sub: p, typ: reflect.PointerTo(p.typ)}, {tag: 2 << 3, shape: single, kind: int64s, off: uint32(p.typ.Field(1).Offset)}}
	for depth, want := range map[int]bool{1: true, maxDepth: true, maxDepth + 1: false, 100 * maxDepth: false} {
		body := []byte("\x10\x07")
		for range depth {
			tag := binary.AppendUvarint([]byte{1<<3 | protoBytes}, uint64(len(body)))
			body = append(tag, body...)
			if len(body) > 1<<16 { // deep enough to be rejected
				break
			}
		}
		obj := reflect.New(p.typ)
		got := p.decode(body, placeOf(obj), 0, private)
		if (got >= 0) != want || got < 0 && got != deep {
			t.Errorf("depth %d: got %d", depth, got)
		}
		n := 0
		for o := obj.Interface().(*nested); want && o != nil; o = o.Inner {
			n++
			if o.Inner == nil && (n != depth+1 || o.Depth != 7) {
				t.Errorf("depth %d: got the innermost at %d: %+v", depth, n, o)
			}
		}
	}
}

// TestDecodersAllocateWhatIsThere checks that length fields alone allocate nothing, and
// that elements without content allocate no more than with the generated code.
func TestDecodersAllocateWhatIsThere(t *testing.T) {
	huge := string(binary.AppendUvarint(nil, 1<<40))
	_ = decodePlanned(nil, new(corev1.Pod), private) // creates the plan
	for name, body := range map[string]string{
		"a message": "\x0a" + huge, "a string": lengthField(1, "\x0a"+huge), "a finalizer": lengthField(1, "\x72"+huge),
		"a container": lengthField(2, "\x12"+huge), "a label": lengthField(1, "\x5a"+huge), "the key of a label": lengthField(1, lengthField(11, "\x0a"+huge)),
		"the value of a label": lengthField(1, lengthField(11, lengthField(1, "k")+"\x12"+huge)), "an unknown field": "\x7a" + huge,
		"a length of 64 bits": "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a length below zero": "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
	} {
		n := allocated(func() {
			if err := decodePlanned([]byte(body+strings.Repeat("x", 100)), new(corev1.Pod), private); err == nil {
				t.Errorf("%s: got no error", name)
			}
		})
		if n > 64<<10 {
			t.Errorf("%s: got %d bytes", name, n)
		}
	}
	for name, c := range map[string]struct {
		typ  reflect.Type
		body string
	}{
		"rules":      {reflect.TypeFor[rbacv1.Role](), strings.Repeat("\x12\x00", 10_000)},
		"containers": {reflect.TypeFor[corev1.PodSpec](), strings.Repeat("\x12\x00", 10_000)},
		"labels":     {reflect.TypeFor[metav1.ObjectMeta](), strings.Repeat("\x5a\x00", 10_000)},
	} {
		u := reflect.New(c.typ).Interface().(protoUnmarshaler)
		_ = decodePlanned([]byte(c.body), u, private) // creates the plan
		cost := func(decode func(u protoUnmarshaler) error) uint64 {
			u := reflect.New(c.typ).Interface().(protoUnmarshaler)
			return allocated(func() {
				if err := decode(u); err != nil {
					t.Error(err)
				}
			})
		}
		got := cost(func(u protoUnmarshaler) error { return decodePlanned([]byte(c.body), u, private) })
		want := cost(func(u protoUnmarshaler) error { return u.Unmarshal([]byte(c.body)) })
		if got > want+64<<10 {
			t.Errorf("%s: got %d bytes, and %d with the generated code", name, got, want)
		}
	}
	for enc, body := range map[Encoding]string{CBOR: "\xa1aa\x9b\x40\x00\x00\x00\x00\x00\x00\x00", JSON: `{"a":"` + strings.Repeat("[", 50_000)} {
		if n := allocated(func() { _ = decodeUnstructured(enc, []byte(body), new(unstructured.Unstructured)) }); n > 1<<20 {
			t.Errorf("%v: got %d bytes", enc, n)
		}
	}
}

// fuzzTypes contain all kinds of fields.
var fuzzTypes = []reflect.Type{
	reflect.TypeFor[corev1.Pod](), reflect.TypeFor[corev1.Node](), reflect.TypeFor[corev1.Secret](), reflect.TypeFor[corev1.PodSecurityContext](),
	reflect.TypeFor[metav1.APIResource](), reflect.TypeFor[metav1.PartialObjectMetadata](), reflect.TypeFor[metav1.Status](),
}

// FuzzPlans decodes unvalidated bodies. The object or error must be the same as with the
// generated code.
func FuzzPlans(f *testing.F) {
	r := testinput.Rand(f)
	for i, typ := range fuzzTypes {
		for range 3 {
			body := filled(f, r, typ)
			f.Add(body, uint8(i))
			f.Add(body[:len(body)/2], uint8(i))
		}
	}
	for _, c := range unusualForms() {
		for i, typ := range fuzzTypes {
			if typ == c.typ {
				f.Add([]byte(c.body), uint8(i))
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, which uint8) {
		compareDecoders(t, fuzzTypes[int(which)%len(fuzzTypes)], body)
	})
}

// FuzzUnstructured decodes bodies as Unstructured objects. The object or error must be
// the same as with the libraries.
func FuzzUnstructured(f *testing.F) {
	for i := range 3 {
		pod := testPod(i)
		f.Add(encode(f, JSON, typed(pod)), false)
		f.Add(encode(f, CBOR, typed(pod)), true)
	}
	f.Add([]byte(`{"a":[1,-0,1.5e3,"\u00e9\ud83e\udd16\ud83e",null,true],"a":{},"b":9223372036854775808}`), false)
	f.Fuzz(func(t *testing.T, body []byte, cbor bool) {
		enc := JSON
		if cbor {
			enc = CBOR
		}
		if bytes.Count(body, []byte("[{")) > 1000 {
			return // the libraries are slow for deeply nested errors
		}
		compareUnstructured(t, enc, body)
	})
}
