package job

import (
	"encoding/json"
	"reflect"
	"strings"
)

// fieldsOf returns the fields of an object as in JSON, or nil.
func fieldsOf(object any) map[string]any {
	switch o := object.(type) {
	case Object:
		return o
	case map[string]any:
		return o
	case *map[string]any:
		if o == nil {
			return nil
		}
		return *o
	case interface{ UnstructuredContent() map[string]any }:
		if reflect.ValueOf(o).IsNil() {
			return nil
		}
		return o.UnstructuredContent()
	}
	return typedFields(object)
}

// typedFields converts a pointer to the struct of a type, without the fields that ReadStatus does not
// read.
func typedFields(object any) map[string]any {
	v := reflect.ValueOf(object)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	body, err := json.Marshal(reduced(v.Elem()))
	if err != nil {
		return nil
	}
	var fields map[string]any
	if json.Unmarshal(body, &fields) != nil {
		return nil
	}
	if Object(fields).Text("kind") == "" {
		nameType(fields, v.Elem().Type())
	}
	return fields
}

// reduced returns a pointer to a copy of an object without the composite fields of its Spec,
// which are most of a pod, except RunPolicy and the names and restart policies of containers. It
// shares the rest with the object.
func reduced(object reflect.Value) any {
	c := reflect.New(object.Type())
	c.Elem().Set(object)
	spec := c.Elem().FieldByName("Spec")
	if !spec.IsValid() || spec.Kind() != reflect.Struct {
		return c.Interface()
	}
	for i := range spec.NumField() {
		field := spec.Field(i)
		switch f := spec.Type().Field(i); {
		case f.Anonymous || f.Name == "RunPolicy" || !composite(field.Type()) || !field.CanSet():
		case f.Name == "Containers" || f.Name == "InitContainers":
			field.Set(namesOf(field))
		default:
			field.SetZero()
		}
	}
	return c.Interface()
}

// namesOf returns containers with their names and restart policies only.
func namesOf(containers reflect.Value) reflect.Value {
	if containers.Kind() != reflect.Slice || containers.Type().Elem().Kind() != reflect.Struct {
		return reflect.Zero(containers.Type())
	}
	all := reflect.MakeSlice(containers.Type(), containers.Len(), containers.Len())
	for i := range containers.Len() {
		for _, name := range []string{"Name", "RestartPolicy"} {
			if to := all.Index(i).FieldByName(name); to.IsValid() && to.CanSet() {
				to.Set(containers.Index(i).FieldByName(name))
			}
		}
	}
	return all
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

// nameType sets apiVersion and kind for the types of k8s.io/api, whose packages are named
// after the group and the version. Clients often leave both empty in structs.
func nameType(fields map[string]any, t reflect.Type) {
	path, ok := strings.CutPrefix(t.PkgPath(), "k8s.io/api/")
	if !ok {
		return
	}
	fields["apiVersion"], fields["kind"] = strings.TrimPrefix(path, "core/"), t.Name()
}
