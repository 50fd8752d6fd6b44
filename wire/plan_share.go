package wire

import (
	"hash/maphash"
	"reflect"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sharing determines whether decoded objects may share values.
type sharing bool

const (
	private   sharing = false // the caller may change the object
	shareable sharing = true  // nobody changes the object
)

const (
	// shareDepth is the nesting of the first messages whose fields are shared: the object
	// has depth 0, its metadata, spec and status have depth 1. Programs that modify a
	// cached object against the rules nearly always modify it above that depth.
	shareDepth = 2
	// shareLeast and shareMost bound the length of a shared value: looking up a shorter
	// value costs as much as decoding it, and the upper limit bounds the memory.
	shareLeast = 24
	shareMost  = 2 << 10
	shareBits  = 11
)

// sharedValues are decoded values of fields that occurred more than once. The pods of a
// Deployment have the same environment, resources and probes. Each value has one slot in
// the table, in which a newer value replaces the older one, so there are at most 2,048
// values of 2 KiB of protobuf. Any number of goroutines may use the table.
var sharedValues [1 << shareBits]struct {
	known atomic.Pointer[sharedValue]
	seen  atomic.Uint64 // hash of the last value
}

// sharedValue is the value of a field. It never changes.
type sharedValue struct {
	field any
	hash  uint64
	bytes string // tags and values
	value reflect.Value
}

var shareSeed = maphash.MakeSeed()

// findShared returns the value of a field in another object with the same bytes, and the
// hash of the bytes. field is any comparable value that identifies the field.
func findShared(field any, b []byte) (known reflect.Value, hash uint64) {
	hash = maphash.Bytes(shareSeed, b)
	v := sharedValues[hash>>(64-shareBits)].known.Load()
	if v != nil && v.hash == hash && v.field == field && v.bytes == string(b) {
		return v.value, hash
	}
	return reflect.Value{}, hash
}

// share stores the value of a field for other objects at its second occurrence, because
// most unique values never recur.
func share(field any, b []byte, hash uint64, value reflect.Value) {
	at := &sharedValues[hash>>(64-shareBits)]
	if at.seen.Load() != hash {
		at.seen.Store(hash)
		return
	}
	kept := reflect.New(value.Type()).Elem()
	kept.Set(value)
	if constant(kept, false) {
		at.known.Store(&sharedValue{field, hash, string(b), kept})
	}
}

// constant reports whether no method of an API type modifies v. Methods of Quantity, such
// as AsDec, modify it as a side effect. In a map they modify a copy, unless the number
// has so many digits that it is stored behind a pointer.
func constant(v reflect.Value, inMap bool) bool {
	switch v.Type() {
	case reflect.TypeFor[resource.Quantity]():
		return inMap && pointerless(v)
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		return true
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || constant(v.Elem(), false)
	case reflect.Slice:
		for i := range v.Len() {
			if !constant(v.Index(i), false) {
				return false
			}
		}
	case reflect.Map:
		for _, value := range v.Seq2() {
			if !constant(value, true) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			if !constant(field, false) {
				return false
			}
		}
	}
	return true
}
