package wire

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	kjson "sigs.k8s.io/json"
)

// decodeUnstructured decodes an object into an Unstructured. The decoders of this package
// support the forms that servers send. For any other form, the libraries of the
// Kubernetes API decode the object again, and report errors.
func decodeUnstructured(enc Encoding, body []byte, u *unstructured.Unstructured) error {
	t := trees.Get().(*tree)
	t.b, t.i = body, 0
	var content any
	var ok bool
	if enc == JSON {
		content, ok = t.json()
	} else {
		content, ok = t.cbor()
	}
	t.release()
	if object, isObject := content.(map[string]any); ok && isObject {
		u.Object = object
		return nil
	}
	if enc == JSON {
		return kjson.UnmarshalCaseSensitivePreserveInts(body, &u.Object)
	}
	return direct.Unmarshal(body, &u.Object)
}
