package wire

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// apiTypes are all types of the Kubernetes API that have protobuf, in one order.
func apiTypes() []reflect.Type {
	known := map[reflect.Type]bool{reflect.TypeFor[metav1.PartialObjectMetadata](): true}
	for _, t := range scheme.Scheme.AllKnownTypes() {
		if reflect.PointerTo(t).Implements(unmarshalerType) && strings.HasPrefix(t.PkgPath(), "k8s.io/api/") {
			known[t] = true
		}
	}
	var types []reflect.Type
	for t := range known {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b reflect.Type) int { return strings.Compare(a.PkgPath()+a.Name(), b.PkgPath()+b.Name()) })
	return types
}

// filled returns an encoded object of a type with random values.
func filled(t testing.TB, r *rand.Rand, typ reflect.Type) []byte {
	t.Helper()
	obj := reflect.New(typ)
	fill(r, obj.Elem())
	body, err := obj.Interface().(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// compare decodes body both ways, and fails if there is a difference: the same
// object, or the same error.
func compare(t *testing.T, typ reflect.Type, body []byte) {
	t.Helper()
	want, got := reflect.New(typ), reflect.New(typ)
	wantErr := want.Interface().(protoUnmarshaler).Unmarshal(bytes.Clone(body))
	scratch := bytes.Clone(body)
	gotErr := decodeProtobuf(scratch, got.Interface().(protoUnmarshaler))
	clear(scratch) // an object that aliases it is not what it was
	if (wantErr == nil) != (gotErr == nil) || wantErr != nil && wantErr.Error() != gotErr.Error() {
		t.Errorf("%v: %v, want %v: %x", typ, gotErr, wantErr, body)
	}
	if wantErr == nil && !reflect.DeepEqual(want.Interface(), got.Interface()) {
		t.Errorf("%v: another object of %x:\n%+v\n%+v", typ, body, got, want)
	}
}

// TestPlansOfTheAPI: every type of the API has a plan, and objects that servers
// send are decoded by it to the end, to what the generated code gives.
func TestPlansOfTheAPI(t *testing.T) {
	types := apiTypes()
	if len(types) < 300 {
		t.Fatalf("%d types", len(types))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, typ := range types {
		p := planOf(typ)
		if p == nil {
			t.Errorf("%v has no plan", typ)
			continue
		}
		for range 20 {
			body := filled(t, r, typ)
			if p.decode(body, placeOf(reflect.New(typ)), 0) < 0 {
				t.Errorf("%v: the plan gives up on %x", typ, body)
			}
			compare(t, typ, body)
		}
	}
}

// TestPlansOnDamage: what is cut off or changed gives the same object or error as
// the generated code.
func TestPlansOnDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, typ := range apiTypes() {
		for range 5 {
			body := filled(t, r, typ)
			for range 20 {
				b := bytes.Clone(body[:r.IntN(len(body)+1)])
				if len(b) > 0 && r.IntN(3) > 0 {
					b = slices.Clone(body)
					b[r.IntN(len(b))] ^= 1 << r.IntN(8)
				}
				compare(t, typ, b)
			}
		}
	}
}

func TestPodPlan(t *testing.T) {
	if planOf(reflect.TypeFor[corev1.Pod]()) == nil {
		t.Fatal("a Pod has no plan")
	}
}
