// Package hidden reads unexported fields of other modules that an adapter needs and cannot
// read in another way.
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
// A field is read only if it has the expected name and type. If another
// version of a module has moved the field, Field returns no value instead of a wrong one.
//
// # Limits
//
// No other goroutine may change the struct during the call.
//
// # Errors
//
// None. Field returns false if the field does not exist.
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
