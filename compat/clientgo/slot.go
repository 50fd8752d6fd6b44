package clientgo

import (
	"reflect"
	"runtime"
	"sync"
	"unsafe"
	"weak"

	"github.com/vedette-io/vedette/wire"
)

// state identifies a revision and its content in 16 bytes. The hash is of the UID, or of the
// key of an object without a UID, and of the body: the server may show other content at the
// same version.
type state struct {
	hash    uint64
	version wire.Version
}

// slot leads to the object of one revision.
type slot struct {
	decoding sync.Mutex // held while the object is decoded; one at a time for each goroutine

	// The fields below are under the lock of sharedObjects.
	state state
	held  any  // nil if it is not one of the recent objects
	size  int  // of its body
	used  bool // since it came to the end of the ring
	asked bool // for it, since idle objects were last given up
	weak  weakObject
}

// weakObject refers to an object without keeping it alive. package weak needs the type
// at compile time; the type of these objects is known at run time only, so a weakObject
// points to the first byte and keeps the type beside it.
type weakObject struct {
	first weak.Pointer[byte]
	typ   reflect.Type // a pointer; nil for no object
}

// weaken returns a weakObject for obj, a pointer to a struct. gone is called some time
// after the object was collected.
func weaken(obj any, gone func()) weakObject {
	first := (*byte)(reflect.ValueOf(obj).UnsafePointer())
	runtime.AddCleanup(first, func(f func()) { f() }, gone)
	return weakObject{weak.Make(first), reflect.TypeOf(obj)}
}

// value returns the object, or nil if it was collected.
func (w weakObject) value() any {
	if w.typ == nil {
		return nil
	}
	first := w.first.Value()
	if first == nil {
		return nil
	}
	return reflect.NewAt(w.typ.Elem(), unsafe.Pointer(first)).Interface()
}
