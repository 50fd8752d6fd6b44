package wire

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
)

// maxDepth limits the nesting of messages of one type, and thereby the stack. The
// generated code for these messages has no limit.
const maxDepth = 1000

// worthPlan is the minimum size of a body that is decoded with a plan. Smaller bodies
// share almost nothing, and the generated code decodes them slightly faster.
const worthPlan = 256

// errDeep reports that a message was not decoded because its decoder might overflow the
// stack, which would end the process.
var errDeep = fmt.Errorf("messages are nested more than %d deep", maxDepth)

// freeDepth is the size up to which a body cannot nest deep enough to overflow the stack.
const freeDepth = 1 << 20

// decodeGenerated decodes an object with the generated code of its type.
func decodeGenerated(body []byte, obj protoUnmarshaler) error {
	if len(body) > freeDepth && deeper(body, maxDepth) {
		return errDeep
	}
	return obj.Unmarshal(body)
}

// deeper reports whether the bytes could contain messages nested deeper than depth. It
// does not know which fields are messages, and tries all of them; a text usually fails
// early.
func deeper(b []byte, depth int) bool {
	if depth < 0 {
		return true
	}
	for i := 0; i < len(b); {
		f, err := nextField(b, i)
		if err != nil {
			return false
		}
		i = f.end
		if len(f.val) > 0 && deeper(f.val, depth-1) {
			return true
		}
	}
	return false
}

// decode decodes message b into the zero value at m. It returns unusual, deep, or the
// length of b.
func (p *plan) decode(b []byte, m place, depth int, share sharing) int {
	if p.own != nil {
		if p.own(m, b) != nil {
			return unusual
		}
		return len(b)
	}
	if depth > maxDepth {
		return deep
	}
	last := uint32(0)
	for i := 0; i < len(b); {
		from := i
		tag := uint64(b[i])
		i++
		if tag >= 0x80 {
			if tag, i = longVarint(b, i-1); i < 0 || tag > 1<<32-1 {
				return unusual
			}
		}
		if tag>>3 >= uint64(len(p.slots)) || p.slots[tag>>3].shape == absent {
			if i = skipValue(b, i, tag); i < 0 {
				return unusual
			}
			continue
		}
		s := &p.slots[tag>>3]
		if uint32(tag) != s.tag || s.tag <= last {
			return unusual
		}
		last = s.tag
		f := m.at(uintptr(s.off))
		if s.shape >= pointer {
			if i = s.composite(p, b, from, i, m, depth, share); i < 0 {
				return i
			}
			continue
		}
		// A number, or the length of the following bytes.
		if i >= len(b) {
			return unusual
		}
		n := uint64(b[i])
		i++
		if n >= 0x80 {
			if n, i = longVarint(b, i-1); i < 0 {
				return unusual
			}
		}
		if s.kind < text {
			s.number(n, f)
			continue
		}
		if n > uint64(len(b)-i) {
			return unusual
		}
		v := b[i : i+int(n)]
		i += int(n)
		if s.kind == text {
			*as[string](f) = sharedText(v)
		} else if n := s.put(v, f, depth, share); n < 0 {
			return n
		}
	}
	return len(b)
}

// composite decodes the pointer, slice or map at b[from:], whose first value is at b[i:],
// into the zero value of the message at m. It returns the end of the field, unusual or
// deep.
func (s *slot) composite(p *plan, b []byte, from, i int, m place, depth int, share sharing) int {
	if share && depth >= shareDepth {
		return s.shared(p, b, from, i, m, depth)
	}
	return s.values(p, b, i, m, depth, share)
}

// shared is composite, but takes the value from another object if that has the same
// bytes.
func (s *slot) shared(p *plan, b []byte, from, i int, m place, depth int) int {
	_, end := s.run(b, i)
	if end == 0 {
		return unusual
	}
	field := b[from:end]
	if len(field) < shareLeast || len(field) > shareMost {
		return s.values(p, b, i, m, depth, shareable)
	}
	to := valueAt(m.at(uintptr(s.off)), s.typ)
	known, hash := findShared(s, field)
	if known.IsValid() {
		to.Set(known)
		return end
	}
	if i = s.values(p, b, i, m, depth, shareable); i < 0 {
		return i
	}
	if i != end { // a pointer occurs twice
		return unusual
	}
	share(s, field, hash, to)
	return end
}

// values decodes a pointer, or all values of a slice or map, the first of which is at
// b[i:] without its tag. It returns the end, unusual or deep.
func (s *slot) values(p *plan, b []byte, i int, m place, depth int, share sharing) int {
	if s.shape > pointer {
		return s.many(b, i, p.typ, m, depth, share)
	}
	to := newPlace(s.typ.Elem())
	m.at(uintptr(s.off)).point(to)
	if s.kind < text {
		n, end := varint(b, i)
		if end >= 0 {
			s.number(n, to)
		}
		return end
	}
	v, end := sized(b, i)
	if end < 0 {
		return unusual
	}
	if n := s.put(v, to, depth, share); n < 0 {
		return n
	}
	return end
}

// number writes the zero value at m.
func (s *slot) number(v uint64, m place) {
	switch s.kind {
	case boolean:
		*as[bool](m) = v != 0
	case int32s:
		*as[int32](m) = int32(v)
	default:
		*as[int64](m) = int64(v)
	}
}

// put decodes v into the zero value at m.
func (s *slot) put(v []byte, m place, depth int, share sharing) int {
	switch s.kind {
	case text:
		*as[string](m) = sharedText(v)
	case octets:
		*as[[]byte](m) = append(make([]byte, 0, len(v)), v...)
	default:
		return s.sub.decode(v, m, depth+1, share)
	}
	return 0
}

// many decodes all values of a field of the struct at m, whose type is t. The first is at
// b[i:]. It returns the index after the last.
func (s *slot) many(b []byte, i int, t reflect.Type, m place, depth int, share sharing) int {
	n, _ := s.run(b, i)
	if n < 0 {
		return unusual
	}
	if s.shape == mapped {
		return s.mapped(b, i, n, m.at(uintptr(s.off)), depth, share)
	}
	if s.kind == text {
		texts := make([]string, n)
		*as[[]string](m.at(uintptr(s.off))) = texts
		for k := range texts {
			v, next := s.next(b, i, k)
			texts[k], i = sharedText(v), next
		}
		return i
	}
	first := growPlace(m, t, int(s.field), n)
	for k := range n {
		e := first.at(uintptr(k) * uintptr(s.size))
		if s.kind < text {
			if k > 0 {
				_, i = varint(b, i) // the tag
			}
			var v uint64
			v, i = varint(b, i)
			s.number(v, e)
		} else {
			v, next := s.next(b, i, k)
			if n := s.put(v, e, depth, share); n < 0 {
				return n
			}
			i = next
		}
	}
	return i
}

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
		value := reflect.New(s.typ.Elem())
		if n := s.sub.decode(v, placeOf(value), depth+1, share); n < 0 {
			return n
		}
		to.SetMapIndex(reflect.ValueOf(key).Convert(s.typ.Key()), value.Elem())
		return 0
	})
}
