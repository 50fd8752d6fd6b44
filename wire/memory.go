package wire

import (
	"reflect"
	"unsafe"
)

// place is the address of a value that is being decoded: an object, a field of it, or an
// element of one of its slices. This is the only file that uses unsafe.
//
// It is safe because every place begins as memory that the Go runtime allocated for the
// type that is written there (placeOf, newPlace, growPlace), and moves only by offsets
// that reflect returns for the same type. So the garbage collector has the pointer map of
// the memory, the compiler emits write barriers, and a place inside an object keeps the
// object alive. The written value has the type of the field or the same representation: a
// type declared as string is written as string, and one declared as []string as []string.
type place struct{ p unsafe.Pointer }

// as returns a pointer to the value at m, which is a T or has the same representation.
func as[T any](m place) *T { return (*T)(m.p) }

// at returns the place at offset bytes into the value at m.
func (m place) at(offset uintptr) place { return place{unsafe.Add(m.p, offset)} }

// point sets the pointer at m to what.
func (m place) point(what place) { *(*unsafe.Pointer)(m.p) = what.p }

// placeOf returns the place that a pointer points to.
func placeOf(pointer reflect.Value) place { return place{pointer.UnsafePointer()} }

// newPlace allocates a zero value.
func newPlace(t reflect.Type) place { return placeOf(reflect.New(t)) }

// growPlace sets the nil slice in the given field of the struct at m, whose type is t, to
// n zero elements, and returns the place of the first.
func growPlace(m place, t reflect.Type, field, n int) place {
	v := reflect.NewAt(t, m.p).Elem().Field(field)
	v.Grow(n)
	v.SetLen(n)
	v.SetCap(n) // an append to a slice that objects share must not write into it
	return place{v.UnsafePointer()}
}

// valueAt returns the value at m, whose type is t.
func valueAt(m place, t reflect.Type) reflect.Value { return reflect.NewAt(t, m.p).Elem() }

// keepString copies at most 255 bytes, preceded by their length, for stringAt.
func keepString(b []byte) *byte {
	to := make([]byte, 1+len(b))
	to[0] = byte(len(b))
	copy(to[1:], b)
	return &to[0]
}

// stringAt returns the string of keepString without a copy. Its memory is never written
// again.
func stringAt(p *byte) string {
	return unsafe.String((*byte)(unsafe.Add(unsafe.Pointer(p), 1)), int(*p))
}
