package wire

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/internal/testinput"
)

// compareLike decodes body with and without an object that was decoded from of. It fails
// unless both return the same object, or the same error.
func compareLike(t *testing.T, enc Encoding, typ reflect.Type, body, of []byte) {
	t.Helper()
	like, want, got := reflect.New(typ).Interface(), reflect.New(typ).Interface(), reflect.New(typ).Interface()
	theirs := Record{Encoding: enc, Body: bytes.Clone(of)}
	if DecodeInto(theirs, like) != nil {
		return
	}
	before := reflect.New(typ).Interface()
	if err := DecodeInto(theirs, before); err != nil {
		t.Fatal(err)
	}
	wantErr := DecodeInto(Record{Encoding: enc, Body: bytes.Clone(body)}, want)
	mine := Record{Encoding: enc, Body: bytes.Clone(body)}
	gotErr := DecodeLike(mine, got, theirs, like)
	clear(mine.Body) // reveals an object that aliases the bytes
	clear(theirs.Body)
	if (wantErr == nil) != (gotErr == nil) || wantErr != nil && wantErr.Error() != gotErr.Error() {
		t.Fatalf("%v: got %v, want %v: %q like %q", typ, gotErr, wantErr, body, of)
	}
	if wantErr == nil && !reflect.DeepEqual(got, want) {
		t.Fatalf("%v: different objects from %q like %q:\n%+v\n%+v", typ, body, of, got, want)
	}
	if !reflect.DeepEqual(like, before) {
		t.Fatalf("%v: the reference object was modified: %q like %q", typ, body, of)
	}
}

// TestDecodeLike: the reference object never changes the result, for all types of the API.
// The reference is equal, differs in some fields, is damaged, or has nothing in common.
func TestDecodeLike(t *testing.T) {
	t.Parallel()
	r := testinput.Rand(t)
	for i, typ := range apiTypes() {
		if i%8 != 0 && typ != reflect.TypeFor[corev1.Pod]() {
			continue // the other types add no new cases
		}
		for range testinput.Cases(t, 3) {
			body, other := filled(t, r, typ), filled(t, r, typ)
			compareLike(t, Protobuf, typ, body, body)
			compareLike(t, Protobuf, typ, body, other)
			twice := append(bytes.Clone(body), other...) // the decoders merge them
			compareLike(t, Protobuf, typ, body, twice)
			compareLike(t, Protobuf, typ, twice, body)
			mixed := mixedFields(r, body, other)
			compareLike(t, Protobuf, typ, mixed, body)
			compareLike(t, Protobuf, typ, body, mixed)
			for range 5 {
				damaged := bytes.Clone(body)
				if len(damaged) > 0 {
					damaged[r.IntN(len(damaged))] ^= byte(1 + r.IntN(255))
				}
				compareLike(t, Protobuf, typ, damaged, body)
				compareLike(t, Protobuf, typ, body, damaged)
			}
		}
	}
}

// mixedFields returns a message with each field from one of two messages.
func mixedFields(r *rand.Rand, a, b []byte) []byte {
	var out []byte
	for i, j := 0, 0; i < len(a); {
		f := runOf(a, i)
		if f.end < 0 {
			return a
		}
		i = f.end
		for j < len(b) {
			g := runOf(b, j)
			if g.end < 0 || g.num > f.num {
				break
			}
			j = g.end
			if g.num == f.num && r.IntN(2) == 0 {
				f = g
			}
		}
		out = append(out, f.bytes...)
	}
	return out
}

// TestDecodeLikeJSON is TestDecodeLike for Unstructured objects.
func TestDecodeLikeJSON(t *testing.T) {
	typ := reflect.TypeFor[unstructured.Unstructured]()
	texts := []string{
		`{"kind":"A","metadata":{"name":"x","labels":{"a":"b"}},"spec":{"n":[1,2.5,null]},"status":{"on":true}}`,
		`{"kind":"A","metadata":{"name":"x","labels":{"a":"c"}},"spec":{"n":[1,2.5,null]},"status":{"on":false}}`,
		` { "kind" : "A" , "metadata":{"name":"y"},"status":{"on":true},"spec":{"n":[1,2.5,null]}}` + "\n",
		`{"kind":"A","spec":{"n":1},"spec":{"n":2}}`, `{"kind":"A","spec":{"n":2},"spec":{"n":1}}`,
		`{"kind":"A","spec":{"n":2}}`, `{"kind":"A","spec":{"n":1}}`,
		`{"kind":"A","sp\u0065c":{"n":2}}`, `{"kind":"A","spec":"é"}`, "{\"kind\":\"A\",\"spec\":\"\xff\"}", "{\"kind\":\"A\",\"sp\xffec\":{}}",
		`{}`, `null`, `[]`, `{"a":1}`, `{"a":12}`, `{"a":1`, `{"a":}`, `{"a":1,}`, `{"a":1}}`, ``,
	}
	for _, body := range texts {
		for _, of := range texts {
			compareLike(t, JSON, typ, []byte(body), []byte(of))
		}
	}
	for _, body := range texts {
		compareLike(t, JSON, reflect.TypeFor[corev1.Pod](), []byte(body), []byte(texts[0]))
	}
}

// TestDecodeLikeShares checks that equal values are shared.
func TestDecodeLikeShares(t *testing.T) {
	old := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "1", Labels: map[string]string{"some": "label"}}}
	for range 20 {
		old.Spec.Containers = append(old.Spec.Containers, corev1.Container{Name: "main", Image: "registry.example.com/image"})
	}
	next := old.DeepCopy()
	next.ResourceVersion, next.Status.Phase = "2", corev1.PodRunning
	a, b := Record{Encoding: Protobuf, Body: mustMarshal(t, old)}, Record{Encoding: Protobuf, Body: mustMarshal(t, next)}
	var like, got corev1.Pod
	if err := DecodeInto(a, &like); err != nil {
		t.Fatal(err)
	}
	if err := DecodeLike(b, &got, a, &like); err != nil {
		t.Fatal(err)
	}
	if &got.Spec.Containers[0] != &like.Spec.Containers[0] || reflect.ValueOf(got.Labels).Pointer() != reflect.ValueOf(like.Labels).Pointer() {
		t.Error("containers and labels were decoded again")
	}
	if got.ResourceVersion != "2" || got.Status.Phase != corev1.PodRunning || like.ResourceVersion != "1" {
		t.Errorf("got %+v, %+v", got.ObjectMeta, like.ObjectMeta)
	}
	var x, y unstructured.Unstructured
	for i, obj := range []any{old, next} {
		text, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		*[]*Record{&a, &b}[i] = Record{Encoding: JSON, Body: text}
	}
	if err := DecodeInto(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := DecodeLike(b, &y, a, &x); err != nil {
		t.Fatal(err)
	}
	if reflect.ValueOf(x.Object["spec"]).Pointer() != reflect.ValueOf(y.Object["spec"]).Pointer() {
		t.Error("the spec was decoded again")
	}
}

func FuzzDecodeLike(f *testing.F) {
	body := filled(f, testinput.Rand(f), reflect.TypeFor[corev1.Pod]())
	f.Add(body, body, false)
	f.Add([]byte(`{"a":{"b":1}}`), []byte(`{"a":{"b":2}}`), true)
	f.Fuzz(func(t *testing.T, body, of []byte, text bool) {
		if text {
			compareLike(t, JSON, reflect.TypeFor[unstructured.Unstructured](), body, of)
			return
		}
		compareLike(t, Protobuf, reflect.TypeFor[corev1.Pod](), body, of)
	})
}
