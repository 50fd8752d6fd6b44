package apitest

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// getter returns the text of a field for field selectors; "" if the field is absent.
type getter func(Object) string

// typedGetter compiles the path of a field of a built-in type, so that no name is looked up for each object.
func typedGetter(goType reflect.Type, path string) getter {
	var steps [][]int
	for name := range strings.SplitSeq(path, ".") {
		for goType.Kind() == reflect.Pointer {
			goType = goType.Elem()
		}
		index, next := jsonField(goType, name)
		if index == nil {
			return func(Object) string { return "" }
		}
		steps, goType = append(steps, index), next
	}
	return func(obj Object) string {
		value := reflect.ValueOf(obj)
		for _, index := range steps {
			if value = follow(value); !value.IsValid() {
				return ""
			}
			value = value.FieldByIndex(index)
		}
		if value = follow(value); !value.IsValid() {
			return ""
		}
		return fmt.Sprint(value.Interface())
	}
}

// follow dereferences pointers; the result is invalid for a nil pointer.
func follow(value reflect.Value) reflect.Value {
	for value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	return value
}

// jsonField finds the field of a struct by its name in JSON.
func jsonField(goType reflect.Type, name string) ([]int, reflect.Type) {
	if goType.Kind() != reflect.Struct {
		return nil, nil
	}
	for _, field := range reflect.VisibleFields(goType) {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == name {
			return field.Index, field.Type
		}
	}
	return nil, nil
}

// mapGetter reads the path of a field of a custom object.
func mapGetter(path string) getter {
	steps := strings.Split(path, ".")
	return func(obj Object) string {
		u, ok := obj.(*unstructured.Unstructured)
		if !ok {
			return ""
		}
		value, found, err := unstructured.NestedFieldNoCopy(u.Object, steps...)
		if err != nil || !found || value == nil {
			return ""
		}
		return fmt.Sprint(value)
	}
}
