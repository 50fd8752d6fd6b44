package workload

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
)

// forms returns the forms of a kind.
func forms(k Kind) []Form {
	all := []Form{{Encoding: JSON}, {Encoding: CBOR}, {Encoding: JSON, Part: Metadata}, {Encoding: Protobuf, Part: Metadata}}
	if !k.Custom {
		all = append(all, Form{Encoding: Protobuf})
	}
	return all
}

// TestRoundTrip checks that every kind is the same object in all its encodings.
func TestRoundTrip(t *testing.T) {
	for _, name := range Names() {
		k, err := Of(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range forms(k) {
			t.Run(name+"/"+form.String(), func(t *testing.T) {
				for i := range 10 {
					obj := k.New(7, i)
					body, err := form.Body(k, obj)
					if err != nil {
						t.Fatal(err)
					}
					if again, _ := form.Body(k, k.New(7, i)); !bytes.Equal(again, body) {
						t.Fatal("the same seed gives different bytes")
					}
					back := decode(t, k, form, body)
					if form.Part == Metadata {
						obj = &metav1.PartialObjectMetadata{ObjectMeta: *obj.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)}
					}
					if got, want := canonical(t, back), canonical(t, obj); !bytes.Equal(got, want) {
						t.Fatalf("object %d was decoded as\n%.2000s\nwant\n%.2000s", i, got, want)
					}
				}
			})
		}
	}
}

func decode(t *testing.T, k Kind, f Form, body []byte) any {
	t.Helper()
	var to any = reflect.New(reflect.TypeOf(k.New(7, 0)).Elem()).Interface()
	if f.Part == Metadata {
		to = &metav1.PartialObjectMetadata{}
	}
	var err error
	switch f.Encoding {
	case Protobuf:
		err = to.(interface{ Unmarshal([]byte) error }).Unmarshal(body)
	case JSON:
		err = json.Unmarshal(body, to)
	case CBOR: // the fields are CBOR within CBOR, so compare them as a tree
		var tree unstructured.Unstructured
		err = direct.Unmarshal(body, &tree.Object)
		to = tree.Object
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// canonical returns an object as JSON with sorted names, without its kind.
func canonical(t *testing.T, obj any) []byte {
	t.Helper()
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	delete(tree, "kind")
	delete(tree, "apiVersion")
	text, err = json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestPodsStayAsTheyAre checks that the bytes never change, so that figures stay
// comparable.
func TestPodsStayAsTheyAre(t *testing.T) {
	k, err := Of("pods")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for i := range 100 {
		body, err := Form{Encoding: Protobuf}.Body(k, k.New(0, i))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(body)
	}
	const want = "cfd3e9709fb511aec2195027943ff14f9cd95970250031257e0aa644c2393f09"
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != want {
		t.Errorf("the first 100 pods have the hash %s, want %s", got, want)
	}
}

func TestStamps(t *testing.T) {
	for _, name := range Names() {
		k, err := Of(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range forms(k) {
			body, err := form.Body(k, k.Stamped(1, 3))
			if err != nil {
				t.Fatal(err)
			}
			stamp, err := StampOf(body)
			if err != nil {
				t.Fatalf("%s in %s: %v", name, form, err)
			}
			stamp.Write(body, ChurnVersion+5, 1_763_000_000_123_456_789)
			switch form {
			case Form{Encoding: JSON}:
				back := decode(t, k, form, body).(Object)
				if back.GetResourceVersion() != "3000000005" || Sent(back.GetAnnotations()[StampKey]) != 1_763_000_000_123_456_789 {
					t.Errorf("%s: %q, %v", name, back.GetResourceVersion(), back.GetAnnotations()[StampKey])
				}
			default:
				if !bytes.Contains(body, []byte("3000000005")) {
					t.Errorf("%s in %s: the body has no version", name, form)
				}
			}
		}
	}
}

// TestChurn checks that changed and deleted objects exist, and added ones do not.
func TestChurn(t *testing.T) {
	const n = 100
	for _, c := range []Churn{{Sort: Heartbeats, Events: 500}, {Sort: Rolling, Events: 3 * n}, {Sort: Deletion, Events: n}} {
		if err := c.Check(n); err != nil {
			t.Fatal(err)
		}
		there := map[int]bool{}
		for i := range n {
			there[i] = true
		}
		for k := range c.Events {
			s := c.At(9, n, k)
			if there[s.Index] != (s.Type != "ADDED") || s.Index >= c.Stamped(n) {
				t.Fatalf("%s: step %d is %+v", c.Sort, k, s)
			}
			there[s.Index] = s.Type != "DELETED"
		}
		for i := range 2 * n {
			old, left := i < n, map[Sort]bool{Heartbeats: i < n, Rolling: i >= n}[c.Sort]
			if there[i] != left {
				t.Errorf("%s: at the end, object %d (old: %v) exists: %v", c.Sort, i, old, there[i])
			}
		}
	}
	for _, c := range []Churn{{Events: -1}, {Sort: Rolling, Events: 3*n + 60}, {Sort: Deletion, Events: n + 1}, {Sort: Relist, Events: 100}} {
		if c.Check(n) == nil {
			t.Errorf("%+v was not refused", c)
		}
	}
	if err := (Churn{Sort: Rolling, Events: 3}).Check(30); err == nil {
		t.Error("half a deployment was not refused")
	}
}

func TestSizesOfConfigMaps(t *testing.T) {
	k, err := Of("configmaps")
	if err != nil {
		t.Fatal(err)
	}
	least, most := 1<<30, 0
	for i := range 1000 {
		body, err := Form{Encoding: Protobuf}.Body(k, k.New(0, i))
		if err != nil {
			t.Fatal(err)
		}
		least, most = min(least, len(body)), max(most, len(body))
	}
	if least > 2<<10 || most < 300<<10 || most > 600<<10 {
		t.Errorf("between %d and %d B", least, most)
	}
	if _, err := Of("unheard-of"); err == nil {
		t.Error("an unknown kind was not refused")
	}
}
