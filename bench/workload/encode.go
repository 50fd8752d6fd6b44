package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
)

// Encoding is the wire format of objects.
type Encoding string

// The encodings of API servers.
const (
	Protobuf Encoding = "protobuf"
	JSON     Encoding = "json"
	CBOR     Encoding = "cbor"
)

// Part is the part of an object that is sent.
type Part string

const (
	// Whole is the whole object.
	Whole Part = ""
	// Metadata is only the metadata: PartialObjectMetadata.
	Metadata Part = "metadata"
)

// Form is the encoding and the part of the objects of a list or watch.
type Form struct {
	Encoding Encoding
	Part     Part
}

// String returns the name of the form.
func (f Form) String() string {
	if f.Part == Metadata {
		return string(f.Encoding) + " metadata"
	}
	return string(f.Encoding)
}

// Names returns the apiVersion and the kind of an object in this form.
func (f Form) Names(k Kind) (apiVersion, kind string) {
	if f.Part == Metadata {
		return "meta.k8s.io/v1", "PartialObjectMetadata"
	}
	return k.APIVersion(), k.Kind
}

// marshaler is implemented by types with protobuf.
type marshaler interface{ Marshal() ([]byte, error) }

// Body encodes an object: in JSON and CBOR with its kind, in protobuf without the
// envelope that has the kind.
//
// Errors: an encoding that the type does not have; errors of the encoder.
func (f Form) Body(k Kind, obj Object) ([]byte, error) {
	var sent any = obj
	if f.Part == Metadata {
		meta := obj.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta)
		partial := &metav1.PartialObjectMetadata{ObjectMeta: *meta}
		partial.APIVersion, partial.Kind = f.Names(k)
		sent = partial
	}
	switch f.Encoding {
	case Protobuf:
		if m, ok := sent.(marshaler); ok {
			return m.Marshal()
		}
		return nil, fmt.Errorf("%s have no protobuf", k.Name)
	case JSON:
		var text bytes.Buffer
		if err := json.NewEncoder(&text).Encode(sent); err != nil {
			return nil, err
		}
		return bytes.TrimSpace(text.Bytes()), nil
	case CBOR:
		return direct.Marshal(sent)
	}
	return nil, fmt.Errorf("there is no encoding %q", f.Encoding)
}

// StampKey is the annotation with the time of sending, in nanoseconds since 1970.
const StampKey = "bench.vedette.io/sent"

// Placeholders in a stamped object that the server replaces by digits. Each occurs once
// in its bytes.
const (
	markVersion = "3070707070"
	markSent    = "7070707070707070701"
	markBeat    = "4070707071"
)

// ChurnVersion is the resourceVersion of the first event of a churn; it has ten digits,
// like all later ones.
const ChurnVersion = 3_000_000_000

// EndName is the name of the object that is added at the end of a churn.
const EndName = "zz-bench-end"

// Stamped returns the i-th object after a change; EndIndex returns the object that ends
// the churn.
func (k Kind) Stamped(seed uint64, i int) Object {
	end := i == EndIndex
	obj := k.New(seed, max(i, 0))
	if end {
		obj.SetName(EndName)
		obj.SetUID("00000000-0000-4000-8000-00000000e0d0")
	}
	obj.SetResourceVersion(markVersion)
	annotations := obj.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[StampKey] = markSent
	annotations["bench.vedette.io/beat"] = markBeat
	obj.SetAnnotations(annotations)
	return obj
}

// EndIndex is the index of the object that ends a churn.
const EndIndex = -1

// Stamp has the offsets of the digits in a body.
type Stamp struct{ version, sent, beat int32 }

// StampOf finds the placeholders in the body of a stamped object.
//
// Errors: a placeholder that does not occur exactly once.
func StampOf(body []byte) (Stamp, error) {
	var at [3]int32
	for i, mark := range []string{markVersion, markSent, markBeat} {
		text := []byte(mark)
		if n := bytes.Count(body, text); n != 1 {
			return Stamp{}, fmt.Errorf("the placeholder %s occurs %d times, want once", mark, n)
		}
		at[i] = int32(bytes.Index(body, text))
	}
	return Stamp{at[0], at[1], at[2]}, nil
}

// Write writes the version of a revision, and its time of sending, into a copy of the
// body of the stamp. The beat makes it different from the previous revision.
func (s Stamp) Write(body []byte, version uint64, sent int64) {
	digits(body[s.version:], len(markVersion), version)
	digits(body[s.sent:], len(markSent), uint64(sent))
	digits(body[s.beat:], len(markBeat), version)
}

func digits(dst []byte, n int, v uint64) {
	for n--; n >= 0; n-- {
		dst[n] = byte('0' + v%10)
		v /= 10
	}
}

// Sent returns the time in an annotation; zero if it has none.
func Sent(annotation string) int64 {
	n := int64(0)
	for _, c := range strings.TrimSpace(annotation) {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int64(c-'0')
	}
	return n
}
