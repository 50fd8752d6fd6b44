package jsonchange

import (
	"reflect"
	"strings"
)

// memberOf returns the type of a member of a type's JSON; nil if it is unknown.
func memberOf(t reflect.Type, name string) reflect.Type {
	t = pointed(t)
	if t == nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Map:
		return t.Elem()
	case reflect.Struct:
	default:
		return nil
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			if found := memberOf(f.Type, name); found != nil {
				return found
			}
		case tag == name || tag == "" && f.Name == name:
			return f.Type
		}
	}
	return nil
}

// elementOf returns the type of the elements of a list; nil if it is unknown.
func elementOf(t reflect.Type) reflect.Type {
	if t = pointed(t); t == nil || t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
		return nil
	}
	return t.Elem()
}

func pointed(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// isPart reports whether a member is a struct within its owner. Such a member cannot be removed:
// its encoding leaves it out if the fields that it knows are zero.
func isPart(t reflect.Type) bool { return t != nil && t.Kind() == reflect.Struct }
