package state

import (
	"maps"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// fieldsOf returns the fields of an object as in JSON, or nil.
func fieldsOf(object any) map[string]any {
	switch o := object.(type) {
	case map[string]any:
		return o
	case interface{ UnstructuredContent() map[string]any }:
		if reflect.ValueOf(o).IsNil() {
			return nil
		}
		return o.UnstructuredContent()
	}
	return typedFields(object)
}

// typedFields converts a pointer to the struct of a type, without the fields that Of does not
// read.
func typedFields(object any) map[string]any {
	v := reflect.ValueOf(object)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(reduced(v.Elem()))
	if err != nil {
		return nil
	}
	if text(fields, "kind") == "" {
		maps.Copy(fields, kindOf(object))
	}
	return fields
}

// reduced returns a pointer to a copy of an object without the composite fields of its Spec,
// which are most of a pod. It shares the rest with the object.
func reduced(object reflect.Value) any {
	c := reflect.New(object.Type())
	c.Elem().Set(object)
	spec := c.Elem().FieldByName("Spec")
	if !spec.IsValid() || spec.Kind() != reflect.Struct {
		return c.Interface()
	}
	for i := range spec.NumField() {
		field := spec.Field(i)
		if !spec.Type().Field(i).Anonymous && composite(field.Type()) && field.CanSet() {
			field.SetZero()
		}
	}
	return c.Interface()
}

// composite reports whether a value is an object or an array in JSON, as far as its Go type
// tells.
func composite(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer:
		return composite(t.Elem())
	case reflect.Slice, reflect.Map, reflect.Array, reflect.Struct, reflect.Interface:
		return true
	}
	return false
}

// kindOf returns apiVersion and kind for the types of k8s.io/api that have a rule. Clients
// often leave them empty in structs.
func kindOf(object any) map[string]any {
	switch object.(type) {
	case *corev1.Pod:
		return map[string]any{"apiVersion": "v1", "kind": "Pod"}
	case *corev1.Node:
		return map[string]any{"apiVersion": "v1", "kind": "Node"}
	case *appsv1.Deployment:
		return map[string]any{"apiVersion": "apps/v1", "kind": "Deployment"}
	case *batchv1.Job:
		return map[string]any{"apiVersion": "batch/v1", "kind": "Job"}
	}
	return nil
}
