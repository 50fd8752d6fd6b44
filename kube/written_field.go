package kube

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/wire"
)

// fieldReader returns Written.Field for an answer that is an object of type T.
func fieldReader[T any](a response) func(string) (string, bool) {
	return func(path string) (string, bool) {
		field, err := wire.FieldOf[T](path)
		if err != nil && a.encoding != wire.Protobuf { // the answer may have fields that T lacks
			field, err = wire.FieldOf[unstructured.Unstructured](path)
		}
		if err != nil {
			return "", false
		}
		values := field.Append(nil, wire.Record{Encoding: a.encoding, Body: a.body})
		switch {
		case len(values) == 1:
			return values[0], true
		case len(values) == 0 && !builtinGroup(a.resource.Group):
			return "", true // a selectable field of a custom resource that is absent is ""
		default:
			return "", false // a built-in type may have a default or another name for the field
		}
	}
}
