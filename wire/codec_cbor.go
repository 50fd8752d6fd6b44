package wire

import (
	"encoding/json"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	kjson "sigs.k8s.io/json"
)

// decodeCBOR decodes an object in CBOR into a struct, or into an Unstructured. The public
// CBOR decoder of Kubernetes does this in one step, but it is strict, and leaves CBOR in
// free-form fields, which all programs expect to be JSON. So a struct is decoded through
// JSON if it has such fields, or if the strict decoder returns an error, which may be
// caused only by a field of a newer server.
func decodeCBOR(body []byte, obj any) error {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return decodeUnstructured(CBOR, body, u)
	}
	if !hasFreeForm(reflect.TypeOf(obj).Elem()) && !hasManagedFields(body) && direct.Unmarshal(body, obj) == nil {
		return nil
	}
	// The fields that the strict decoder has already set get the same values again.
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

// hasManagedFields reports whether an object has managedFields, which are free-form in
// all types and usually absent.
func hasManagedFields(body []byte) bool {
	s := cborScanner{w: inMemory(body)}
	return s.into("metadata") && s.into("managedFields")
}

// freeForms caches the results of hasFreeForm by type.
var freeForms sync.Map

// hasFreeForm reports whether a type has free-form fields other than
// metadata.managedFields.
func hasFreeForm(t reflect.Type) bool {
	if known, ok := freeForms.Load(t); ok {
		return known.(bool)
	}
	found := findFreeForm(t, map[reflect.Type]bool{})
	freeForms.Store(t, found)
	return found
}

func findFreeForm(t reflect.Type, seen map[reflect.Type]bool) bool {
	switch {
	case t == reflect.TypeFor[runtime.RawExtension]() || t == reflect.TypeFor[metav1.FieldsV1]():
		return true
	case seen[t] || t == reflect.TypeFor[metav1.ManagedFieldsEntry]():
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return findFreeForm(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if findFreeForm(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}
