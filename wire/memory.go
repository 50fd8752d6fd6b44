package wire

import (
	"reflect"
	"unsafe"
)

// place is where a value lies that is being decoded: an object, a field of it, or
// an element of one of its slices. This file is the only one that uses unsafe.
//
// It is safe because every place begins as memory that the Go runtime allocated
// for the type that is written there (placeOf, newPlace, growPlace), and is moved only
// by offsets that reflect gives for the same type: so the garbage collector knows
// which words are pointers, the compiler writes them with its barriers, and a place
// inside an object keeps the object alive. What is written is of the type of the
// field or has the same representation: a type that is declared as string is
// written as string, one declared as []string as []string.
type place struct{ p unsafe.Pointer }

// as returns the value at m, which is a T or has the same representation.
func as[T any](m place) *T { return (*T)(m.p) }

// at returns the place that is offset bytes into the value at m.
func (m place) at(offset uintptr) place { return place{unsafe.Add(m.p, offset)} }

// point makes the pointer at m point to what.
func (m place) point(what place) { *(*unsafe.Pointer)(m.p) = what.p }

// placeOf returns the place to which a pointer points.
func placeOf(pointer reflect.Value) place { return place{pointer.UnsafePointer()} }

// newPlace allocates a zero value.
func newPlace(t reflect.Type) place { return placeOf(reflect.New(t)) }

// growPlace makes a slice of n zero elements of the nil slice in the numbered field
// of the struct at m, whose type is t, and returns the place of the first.
func growPlace(m place, t reflect.Type, field, n int) place {
	v := reflect.NewAt(t, m.p).Elem().Field(field)
	v.Grow(n)
	v.SetLen(n)
	v.SetCap(n) // an append to a slice that objects share must not write into it
	return place{v.UnsafePointer()}
}

// valueAt returns the value at m, whose type is t.
func valueAt(m place, t reflect.Type) reflect.Value { return reflect.NewAt(t, m.p).Elem() }

// keepString copies at most 255 bytes behind their length, for stringAt.
func keepString(b []byte) *byte {
	to := make([]byte, 1+len(b))
	to[0] = byte(len(b))
	copy(to[1:], b)
	return &to[0]
}

// stringAt returns what keepString made, without a copy: nobody writes there again.
func stringAt(p *byte) string {
	return unsafe.String((*byte)(unsafe.Add(unsafe.Pointer(p), 1)), int(*p))
}
