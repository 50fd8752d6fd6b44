package wire

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "sigs.k8s.io/json"
)

// Codec decodes records into objects of type T: a built-in type of the Kubernetes API,
// the Go struct of a custom resource, PartialObjectMetadata, or Unstructured. It is
// stateless; the zero value works, and any number of goroutines may use it.
type Codec[T any] struct{}

// Protobuf reports whether T can be decoded from protobuf. Objects of other types must be
// requested as JSON or CBOR.
func (Codec[T]) Protobuf() bool {
	_, ok := any(new(T)).(protoUnmarshaler)
	return ok
}

// Decode returns a new object that belongs to the caller. It does not keep the record's
// buffer alive, and the object shares no writable memory with any other object. Objects
// share short strings that occur in many of them, so that such a string costs nothing.
// The result is what the decoders of the Kubernetes API produce from the body,
// including nil slices; only protobuf that nests more than 1,000 deep is rejected here.
// Those decoders reject JSON and CBOR that nest more than 10,000 deep.
//
// Errors: those of the decoder, with the object's key; and a record in protobuf for a T
// that does not support it.
func (Codec[T]) Decode(rec Record) (*T, error) {
	obj := new(T)
	if err := decode(rec.Encoding, rec.Body, obj, private); err != nil {
		return nil, fmt.Errorf("decode %s at resourceVersion %s as %T: %w", rec.Key, rec.Version, *obj, err)
	}
	return obj, nil
}

// DecodeInto is Codec.Decode for a type that is known only at run time: obj points to a
// zero object. After an error the content of obj is undefined.
//
// Errors: those of Codec.Decode.
func DecodeInto(rec Record, obj any) error {
	if err := decode(rec.Encoding, rec.Body, obj, private); err != nil {
		return fmt.Errorf("decode %s at resourceVersion %s as %T: %w", rec.Key, rec.Version, obj, err)
	}
	return nil
}

// DecodeShared is DecodeInto for an object that nobody changes. Slices, maps and pointers
// that are nested at least three fields deep, such as the environment of a container, may
// be shared with other objects that have the same values there. Objects of one template
// then take less memory and less time. The object's own fields and those of its metadata,
// spec and status are never shared. Only protobuf shares values.
//
// Errors: those of DecodeInto.
func DecodeShared(rec Record, obj any) error {
	if err := decode(rec.Encoding, rec.Body, obj, shareable); err != nil {
		return fmt.Errorf("decode %s at resourceVersion %s as %T: %w", rec.Key, rec.Version, obj, err)
	}
	return nil
}

func decode(enc Encoding, body []byte, obj any, share sharing) error {
	switch enc {
	case Protobuf:
		u, ok := obj.(protoUnmarshaler)
		if !ok {
			return fmt.Errorf("the type has no protobuf decoder: request JSON from the server")
		}
		return decodeProtobuf(body, u, share)
	case JSON:
		if u, ok := obj.(*unstructured.Unstructured); ok {
			return decodeUnstructured(enc, body, u)
		}
		return kjson.UnmarshalCaseSensitivePreserveInts(body, obj)
	case CBOR:
		return decodeCBOR(body, obj)
	}
	return fmt.Errorf("unknown encoding %s", enc)
}

func decodeStatus(enc Encoding, body []byte, status *metav1.Status) error {
	switch enc {
	case Protobuf:
		return status.Unmarshal(body)
	case CBOR:
		return decodeCBOR(body, status)
	}
	return json.Unmarshal(body, status)
}
