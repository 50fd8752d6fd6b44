package wire

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	kjson "sigs.k8s.io/json"
)

// protoUnmarshaler is what every built-in type of the Kubernetes API has.
type protoUnmarshaler interface{ Unmarshal([]byte) error }

// Codec turns records back into objects of type T: a built-in type of the
// Kubernetes API, the Go struct of a custom resource, PartialObjectMetadata, or
// Unstructured. It is stateless; the zero value works, and any number of
// goroutines may use one.
type Codec[T any] struct{}

// Protobuf reports whether T can be read from protobuf. Other types must be
// fetched as JSON or CBOR.
func (Codec[T]) Protobuf() bool {
	_, ok := any(new(T)).(protoUnmarshaler)
	return ok
}

// Decode returns a new object that belongs to the caller. Strings and byte
// slices in it are its own: it does not keep the record's buffer alive.
//
// Errors: what the decoder says of the body, with the object's key; and a
// record in protobuf for a T that has none.
func (Codec[T]) Decode(rec Record) (*T, error) {
	obj := new(T)
	if err := decode(rec.Encoding, rec.Body, obj); err != nil {
		return nil, fmt.Errorf("decode %s at resourceVersion %s as %T: %w", rec.Key, rec.Version, *obj, err)
	}
	return obj, nil
}

func decode(enc Encoding, body []byte, obj any) error {
	switch enc {
	case Protobuf:
		u, ok := obj.(protoUnmarshaler)
		if !ok {
			return fmt.Errorf("it has no protobuf decoder: ask the server for JSON")
		}
		return u.Unmarshal(body)
	case JSON:
		if u, ok := obj.(*unstructured.Unstructured); ok {
			return kjson.UnmarshalCaseSensitivePreserveInts(body, &u.Object)
		}
		return kjson.UnmarshalCaseSensitivePreserveInts(body, obj)
	case CBOR:
		return decodeCBOR(body, obj)
	}
	return fmt.Errorf("it is in an unknown encoding, %s", enc)
}

// decodeCBOR decodes structs by way of JSON. The decoder of the Kubernetes API
// that others may use is strict, so it would fail on every field that a newer
// server has; and it leaves CBOR in fields of free form (RawExtension, FieldsV1)
// that all programs take for JSON.
func decodeCBOR(body []byte, obj any) error {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return direct.Unmarshal(body, &u.Object)
	}
	var content map[string]any
	if err := direct.Unmarshal(body, &content); err != nil {
		return err
	}
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(text, obj)
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
