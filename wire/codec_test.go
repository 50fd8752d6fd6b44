package wire

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// trainJob is the Go struct of a custom resource, as a user writes it.
type trainJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Workers int64 `json:"workers"`
	} `json:"spec"`
}

func TestCodec(t *testing.T) {
	rec := Record{Encoding: JSON, Body: []byte(`{"apiVersion":"a/v1","kind":"TrainJob","metadata":{"name":"x"},"spec":{"workers":9007199254740993,"Workers":3}}`)}
	job, err := Codec[trainJob]{}.Decode(rec)
	if err != nil || job.Name != "x" || job.Spec.Workers != 9007199254740993 {
		t.Errorf("got %+v, %v", job, err)
	}
	any1, err := Codec[unstructured.Unstructured]{}.Decode(rec)
	if w, _, _ := unstructured.NestedInt64(any1.Object, "spec", "workers"); err != nil || w != 9007199254740993 {
		t.Errorf("got %+v, %v", any1, err)
	}
	any2, _ := Codec[unstructured.Unstructured]{}.Decode(rec)
	any1.SetName("changed")
	if any2.GetName() != "x" {
		t.Error("two objects share memory")
	}
	if (Codec[trainJob]{}).Protobuf() || (Codec[unstructured.Unstructured]{}).Protobuf() || !(Codec[corev1.Pod]{}).Protobuf() {
		t.Error("wrong result of Protobuf")
	}
}

func TestCodecErrors(t *testing.T) {
	key := Key{Namespace: "ns", Name: "x"}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"another type":     {second(Codec[trainJob]{}.Decode(Record{Key: key, Version: 7, Encoding: JSON, Body: []byte(`{"spec":{"workers":"many"}}`)})), "decode ns/x at resourceVersion 7"},
		"no protobuf":      {second(Codec[trainJob]{}.Decode(Record{Key: key, Encoding: Protobuf})), "request JSON from the server"},
		"damaged protobuf": {second(Codec[corev1.Pod]{}.Decode(Record{Key: key, Encoding: Protobuf, Body: []byte{0xff}})), "ns/x"},
		"no encoding":      {second(Codec[corev1.Pod]{}.Decode(Record{Key: key})), "unknown encoding"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: got %v", name, c.err)
		}
	}
}

func second[T any](_ T, err error) error { return err }
