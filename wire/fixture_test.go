package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// allEncodings are the encodings of most tests.
var allEncodings = []Encoding{JSON, Protobuf, CBOR}

// managed returns the number of managedFields entries of the i-th pod.
func managed(i int) int { return i % 4 }

// testPod returns a pod with values that are difficult for a scanner.
func testPod(i int) corev1.Pod {
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       fmt.Sprintf("ns-%d", i%3),
			Name:            fmt.Sprintf("pod-%d", i),
			UID:             types.UID(fmt.Sprintf("uid-%d", i)),
			ResourceVersion: fmt.Sprint(1000 + i),
			Labels:          map[string]string{"app": fmt.Sprintf("app-%d", i%5), "weird/“\\\"\n": "☃ \u2028 </script>"},
			Annotations:     map[string]string{"note": `{"managedFields":[{"a":"}"}]}`},
			Finalizers:      []string{"keep/it"},
		},
		Spec: corev1.PodSpec{
			NodeName:   fmt.Sprintf("node-%d", i),
			Containers: []corev1.Container{{Name: "main", Image: "busybox", Args: []string{"[", "]", "{", "\\"}}},
		},
		Status: corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for m := range managed(i) {
		p.ManagedFields = append(p.ManagedFields, metav1.ManagedFieldsEntry{
			Manager: fmt.Sprintf("manager-%d", m), Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1",
			FieldsType: "FieldsV1", FieldsV1: fieldsOf(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`),
		})
	}
	return p
}

func testPods(n int) *corev1.PodList {
	list := &corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "5000", Continue: "next", RemainingItemCount: new(int64)},
	}
	*list.RemainingItemCount = 7
	for i := range n {
		list.Items = append(list.Items, testPod(i))
	}
	return list
}

// fieldsOf returns fields in their JSON form. apimachinery has a constructor since 0.36.
func fieldsOf(text string) *metav1.FieldsV1 {
	return &metav1.FieldsV1{Raw: []byte(text)}
}

// encode encodes an object as the API server does.
func encode(t testing.TB, enc Encoding, obj runtime.Object) []byte {
	t.Helper()
	var s runtime.Serializer = kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, kjson.SerializerOptions{})
	switch enc {
	case Protobuf:
		s = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	case CBOR:
		s = cbor.NewSerializer(scheme.Scheme, scheme.Scheme)
	}
	var b bytes.Buffer
	if err := s.Encode(obj, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// frame encodes a watch event as the API server does.
func frame(t testing.TB, enc Encoding, event string, obj runtime.Object) []byte {
	t.Helper()
	return rawFrame(t, enc, event, encode(t, enc, obj))
}

func rawFrame(t testing.TB, enc Encoding, event string, object []byte) []byte {
	t.Helper()
	if enc == JSON {
		return fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", event, bytes.TrimSpace(object))
	}
	if enc == CBOR {
		return slices.Concat([]byte("\xd9\xd9\xf7\xa2\x44type"), mustCBOR(t, event), []byte("\x46object"), object)
	}
	ev := metav1.WatchEvent{Type: event, Object: runtime.RawExtension{Raw: object}}
	body, err := ev.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// mustCBOR encodes anything as the API server does.
func mustCBOR(t testing.TB, v any) []byte {
	t.Helper()
	b, err := direct.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func typed(p corev1.Pod) *corev1.Pod {
	p.APIVersion, p.Kind = "v1", "Pod"
	return &p
}

// item is the result of one Next of either reader. Everything in it is copied.
type item struct {
	rec     Record
	event   EventType
	end     bool
	err     string
	invalid InvalidError // the identity of an unusable object
}

// failed adds the error of a Next.
func (it item) failed(err error) item {
	if err != nil {
		it.err = err.Error()
	}
	if invalid, ok := err.(*InvalidError); ok {
		it.invalid = *invalid
	}
	return it
}

func copied(r Record) Record {
	r.Body = bytes.Clone(r.Body)
	return r
}

// readList reads a list to its end. It copies each record at once, and compares the
// originals with the copies at the end, because a reader must not modify returned
// records.
func readList(t testing.TB, r io.Reader, enc Encoding, opts Options) (items []item, meta ListMeta) {
	t.Helper()
	l := NewListReader(r, enc, opts)
	var originals []Record
	for {
		rec, err := l.Next()
		if cap(rec.Body) != len(rec.Body) {
			t.Errorf("%v: an append to the body would overwrite the stream", rec.Key)
		}
		it := item{rec: copied(rec)}.failed(err)
		originals = append(originals, rec)
		items = append(items, it)
		if err != nil && !isInvalid(err) {
			if _, again := l.Next(); again == nil || again.Error() != err.Error() {
				t.Fatalf("got %[2]v after %[1]v", err, again)
			}
			break
		}
	}
	for i, rec := range originals {
		if !bytes.Equal(rec.Body, items[i].rec.Body) {
			t.Fatalf("record %d was modified after it was returned", i)
		}
	}
	return items, l.Meta()
}

func readWatch(t testing.TB, r io.Reader, enc Encoding, opts Options) (items []item) {
	t.Helper()
	w := NewWatchReader(r, enc, opts)
	var originals []Record
	for {
		ev, err := w.Next()
		it := item{rec: copied(ev.Record), event: ev.Type, end: ev.InitialEventsEnd}.failed(err)
		if ev.Status != nil {
			it.err = "status: " + ev.Status.String()
		}
		originals = append(originals, ev.Record)
		items = append(items, it)
		if err != nil && !isInvalid(err) {
			break
		}
	}
	for i, rec := range originals {
		if !bytes.Equal(rec.Body, items[i].rec.Body) {
			t.Fatalf("record %d was modified after it was returned", i)
		}
	}
	return items
}
