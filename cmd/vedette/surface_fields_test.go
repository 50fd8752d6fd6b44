package main

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// addFields adds the JSON fields of a struct. prefix precedes their names.
func addFields(t *testing.T, s surface, prefix string, doc any) {
	t.Helper()
	fieldsOf(reflect.TypeOf(doc), "", nil, func(name, kind string) { s.add(t, prefix+name, kind) })
}

// fieldsOf calls add for each JSON field of a struct, and for the fields of its values.
func fieldsOf(of reflect.Type, prefix string, above []reflect.Type, add func(name, kind string)) {
	for f := range of.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		for inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-" && options == "":
			continue
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			fieldsOf(inner, prefix, above, add)
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		kind, element := kindOf(f.Type)
		if strings.Contains(options, "omit") {
			kind += " optional"
		}
		add(prefix+name, kind)
		if element == nil {
			continue
		}
		if !slices.Contains(above, element) {
			fieldsOf(element, prefix+name+".", append(above, element), add)
		}
	}
}

var (
	ofTime   = reflect.TypeFor[time.Time]()
	ofRaw    = reflect.TypeFor[json.RawMessage]()
	encodes  = reflect.TypeFor[json.Marshaler]()
	textual  = reflect.TypeFor[encoding.TextMarshaler]()
	anything = reflect.TypeFor[any]()
)

// kindOf returns the name of the JSON form of a type, and the struct whose fields are listed
// below it. The struct is nil if the form has no fields.
func kindOf(of reflect.Type) (name string, element reflect.Type) {
	switch {
	case of == ofTime:
		return "time", nil
	case of == ofRaw, of == anything:
		return "anything", nil
	case of.Kind() == reflect.Pointer:
		return kindOf(of.Elem())
	case of.Implements(encodes), of.Implements(textual):
		return "text", nil
	}
	switch of.Kind() {
	case reflect.Struct:
		return "object", of
	case reflect.Slice, reflect.Array:
		if of.Elem().Kind() == reflect.Uint8 {
			return "base64", nil
		}
		name, element = kindOf(of.Elem())
		return "list of " + name, element
	case reflect.Map:
		name, element = kindOf(of.Elem())
		return "map of " + name, element
	default:
		return of.Kind().String(), nil
	}
}
