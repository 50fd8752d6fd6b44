package wire

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
)

// mapRoom is the maximum initial capacity of a map. Entries may be empty, or duplicates.
const mapRoom = 100

// mapped decodes n entries of a map, the first of which is at b[i:], into the nil map at
// m.
func (s *slot) mapped(b []byte, i, n int, m place, depth int, share sharing) int {
	// A map with a key type declared as string is created and written as a map of
	// strings: keys and values have the same representation, hash and comparison.
	room := min(n, mapRoom)
	switch s.value {
	case text:
		to := make(map[string]string, room)
		*as[map[string]string](m) = to
		return s.entries(b, i, n, func(key string, v []byte) int {
			to[key] = sharedText(v)
			return 0
		})
	case octets:
		to := make(map[string][]byte, room)
		*as[map[string][]byte](m) = to
		return s.entries(b, i, n, func(key string, v []byte) int {
			to[key] = append(make([]byte, 0, len(v)), v...)
			return 0
		})
	case quantity:
		to := make(map[string]resource.Quantity, room)
		*as[map[string]resource.Quantity](m) = to
		return s.entries(b, i, n, func(key string, v []byte) int {
			var q resource.Quantity
			if unmarshalQuantity(&q, v) != nil {
				return unusual
			}
			to[key] = q
			return 0
		})
	}
	to := valueAt(m, s.typ)
	to.Set(reflect.MakeMapWithSize(s.typ, room))
	return s.entries(b, i, n, func(key string, v []byte) int {
		value := reflect.New(s.elem)
		if n := s.sub.decode(v, placeOf(value), depth+1, share); n < 0 {
			return n
		}
		to.SetMapIndex(reflect.ValueOf(key).Convert(s.typ.Key()), value.Elem())
		return 0
	})
}

// entries calls put for n entries of a map, the first of which is at b[i:].
func (s *slot) entries(b []byte, i, n int, put func(key string, v []byte) int) int {
	for k := range n {
		var entry, key, v []byte
		if entry, i = s.next(b, i, k); len(entry) == 0 || entry[0] != 1<<3|protoBytes {
			return unusual
		}
		key, at := sized(entry, 1)
		if at < 0 || at >= len(entry) || entry[at] != 2<<3|protoBytes {
			return unusual
		}
		if v, at = sized(entry, at+1); at != len(entry) {
			return unusual
		}
		if got := put(sharedText(key), v); got < 0 {
			return got
		}
	}
	return i
}
