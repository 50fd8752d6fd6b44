package bridge

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// newLoose returns an object of a type that no scheme has.
func newLoose(kind schema.GroupVersionKind) *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object
}

// looseList returns a list of such objects. kind is the kind of the list.
func looseList(kind schema.GroupVersionKind, items []runtime.Object) (runtime.Object, schema.GroupVersion, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind)
	for _, item := range items {
		object, ok := item.(*unstructured.Unstructured)
		if !ok {
			return nil, schema.GroupVersion{}, fmt.Errorf("bridge: a list of %s contains a %T", kind.Kind, item)
		}
		list.Items = append(list.Items, *object)
	}
	return list, kind.GroupVersion(), nil
}
