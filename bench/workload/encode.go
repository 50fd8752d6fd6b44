package workload

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
)

// Encoding is how objects are written on the wire.
type Encoding string

// The encodings that API servers speak.
const (
	Protobuf Encoding = "protobuf"
	JSON     Encoding = "json"
	CBOR     Encoding = "cbor"
)

// Part is how much of an object is sent.
type Part string

const (
	// Whole objects.
	Whole Part = ""
	// Metadata only: PartialObjectMetadata.
	Metadata Part = "metadata"
)

// Form is how the objects of a list or watch are sent.
type Form struct {
	Encoding Encoding
	Part     Part
}

// String names the form.
func (f Form) String() string {
	if f.Part == Metadata {
		return string(f.Encoding) + " metadata"
	}
	return string(f.Encoding)
}

// Names returns what an object of a kind is called in this form.
func (f Form) Names(k Kind) (apiVersion, kind string) {
	if f.Part == Metadata {
		return "meta.k8s.io/v1", "PartialObjectMetadata"
	}
	return k.APIVersion(), k.Kind
}

// marshaler is what types with protobuf have.
type marshaler interface{ Marshal() ([]byte, error) }

// Body encodes an object: in JSON and CBOR with its kind, in protobuf the message
// alone, without the envelope that has the kind.
//
// Errors: an encoding that the type does not have; what the encoder says.
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

// StampKey is the annotation that says when the frame was written, in nanoseconds
// since 1970.
const StampKey = "bench.vedette.io/sent"

// What stands in a stamped object where the server writes digits. Each is found
// once in its bytes.
const (
	markVersion = "3070707070"
	markSent    = "7070707070707070701"
	markBeat    = "4070707071"
)

// ChurnVersion is the resourceVersion of the first event of a churn; it has ten
// digits, as all that follow.
const ChurnVersion = 3_000_000_000

// EndName is the name of the object that is added when a churn is over.
const EndName = "zz-bench-end"

// Stamped returns the i-th object as it is after a change; EndIndex gives the one
// that is added when all is over.
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

// Stamp says where in a body digits are to be written.
type Stamp struct{ version, sent, beat int32 }

// StampOf finds the places in the body of a stamped object.
//
// Errors: one of them is not there, or more than once.
func StampOf(body []byte) (Stamp, error) {
	var at [3]int32
	for i, mark := range []string{markVersion, markSent, markBeat} {
		text := []byte(mark)
		if n := bytes.Count(body, text); n != 1 {
			return Stamp{}, fmt.Errorf("the mark %s is there %d times, want once", mark, n)
		}
		at[i] = int32(bytes.Index(body, text))
	}
	return Stamp{at[0], at[1], at[2]}, nil
}

// Write writes the version of a revision, and when it is sent, into a copy of the
// body that the stamp is of. The beat is what differs from the last revision.
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

// Sent reads the stamp of an annotation; zero where there is none.
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
