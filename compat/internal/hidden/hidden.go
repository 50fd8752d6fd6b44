// Package hidden reads unexported fields of other modules, where they have no other
// way to what an adapter needs.
//
// # Data flow
//
//	a struct, the name and the type of a field -> Field -> its value
//
// # Ownership
//
// A value that is read belongs to the struct that has it.
//
// # Guarantees
//
// A field is read only if it has the expected name and type. So another version of
// a module that keeps it elsewhere means that there is no value, and never a wrong one.
//
// # Limits
//
// A struct that another goroutine may change is not for this package.
//
// # Errors
//
// A field that is not there is reported by false; the caller says what follows.
package hidden

import (
	"reflect"
	"unsafe"
)

// Field reads an unexported field into dst. It reports whether there is a field of that
// name and type.
func Field[T any](v reflect.Value, name string, dst *T) bool {
	f := v.FieldByName(name)
	if !f.IsValid() || !f.CanAddr() || f.Type() != reflect.TypeFor[T]() {
		return false
	}
	*dst = *(*T)(unsafe.Pointer(f.UnsafeAddr()))
	return true
}
