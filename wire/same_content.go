package wire

import (
	"bytes"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// SameContent reports whether two records of one revision show the same object. Servers
// encode an object to the same bytes each time, with two exceptions: items of a JSON list of
// a built-in type do not state their type, which events do, and CBOR has the members of maps
// in a random order. Records of which one is protobuf and the other is not are never the
// same.
func SameContent(a, b *Record) bool {
	if a.Encoding == b.Encoding && bytes.Equal(a.Body, b.Body) {
		return true
	}
	switch {
	case a.Encoding == Protobuf || b.Encoding == Protobuf:
		return false
	case a.Encoding == JSON && b.Encoding == JSON:
		return sameText(a.Body, b.Body)
	}
	return sameMembers(a, b)
}

// sameText compares two JSON objects. One of them may lack the type that the other begins
// with.
func sameText(a, b []byte) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	item, ok := bytes.CutPrefix(b, []byte("{"))
	return ok && bytes.Equal(afterType(a), item)
}

// afterType returns the members of a JSON object after its type, if the object begins with
// it, and otherwise all members.
func afterType(text []byte) []byte {
	rest := bytes.TrimPrefix(text, []byte("{"))
	for range 2 {
		for _, name := range [...]string{`"kind":"`, `"apiVersion":"`} {
			if value, ok := bytes.CutPrefix(rest, []byte(name)); ok {
				if _, after, found := bytes.Cut(value, []byte{'"'}); found {
					rest = bytes.TrimPrefix(after, []byte(","))
				}
			}
		}
	}
	return rest
}

// sameMembers decodes two objects and compares them.
func sameMembers(a, b *Record) bool {
	var codec Codec[unstructured.Unstructured]
	x, err := codec.Decode(*a)
	if err != nil {
		return false
	}
	y, err := codec.Decode(*b)
	if err != nil {
		return false
	}
	for _, name := range [...]string{"kind", "apiVersion"} {
		_, inX := x.Object[name]
		_, inY := y.Object[name]
		if inX != inY {
			delete(x.Object, name)
			delete(y.Object, name)
		}
	}
	return maps.EqualFunc(x.Object, y.Object, func(v, w any) bool { return reflect.DeepEqual(v, w) })
}
