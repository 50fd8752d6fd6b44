package wire

import (
	"encoding/binary"
	"math/bits"
	"reflect"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	internBits = 12
	// internMax is the length of the longest text that is remembered. It has to be
	// less than 256.
	internMax = 128
)

// sharedTexts are the strings that came more than once, so that objects share them:
// the siblings of a Deployment have the same names, images, labels and values. There
// is a fixed number of places, in each of which the newer string replaces the older,
// so these are never more than 4,096 strings of 128 bytes. Any number of goroutines
// may use them.
var sharedTexts [1 << internBits]struct {
	known atomic.Pointer[byte] // made by keepString
	mark  atomic.Uint32        // of known: if it differs there is no need to look there
	seen  atomic.Uint32        // the mark of the text that came last
}

// sharedText returns b as a string.
func sharedText(b []byte) string {
	if len(b) < 2 || len(b) > internMax { // of one byte the runtime has one
		return string(b)
	}
	hash, mark := hashText(b)
	at := &sharedTexts[hash>>(64-internBits)]
	if at.mark.Load() == mark {
		if known := stringAt(at.known.Load()); known == string(b) {
			return known
		}
	}
	// The first time a text is only marked: what does not come again is not worth
	// more.
	if at.seen.Load() != mark {
		at.seen.Store(mark)
		return string(b)
	}
	p := keepString(b)
	at.known.Store(p) // before the mark, so that there is something where one is
	at.mark.Store(mark)
	return stringAt(p)
}

// memo remembers, in the same way, what was made of texts.
type memo[V any] [1 << internBits]struct {
	known atomic.Pointer[made[V]]
	mark  atomic.Uint32
	seen  atomic.Uint32
}

// made is what was made of a text.
type made[V any] struct {
	text  string
	value V
}

// find returns what was made of a text, nil if it is not known. again reports
// whether it came before: then what is made of it now is worth to be kept.
func (m *memo[V]) find(b []byte) (known *made[V], again bool) {
	if len(b) > internMax {
		return nil, false
	}
	hash, mark := hashText(b)
	at := &m[hash>>(64-internBits)]
	if at.mark.Load() == mark {
		if known = at.known.Load(); known.text == string(b) {
			return known, true
		}
	}
	again = at.seen.Load() == mark
	if !again {
		at.seen.Store(mark)
	}
	return nil, again
}

// keep remembers what was made of a text.
func (m *memo[V]) keep(text string, v V) {
	hash, mark := hashText([]byte(text))
	at := &m[hash>>(64-internBits)]
	at.known.Store(&made[V]{text, v})
	at.mark.Store(mark)
}

// hashText mixes the length and at most 32 bytes of b, which are all if there are no
// more. Texts that differ elsewhere take each other's place.
func hashText(b []byte) (hash uint64, mark uint32) {
	const k1, k2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
	n := len(b)
	if n < 8 {
		v := uint64(n)
		for _, c := range b {
			v = v<<8 | uint64(c)
		}
		high, low := bits.Mul64(v^k2, k1)
		hash = high ^ low
		return hash, uint32(hash) | 1
	}
	third := (n - 8) / 3
	h1, l1 := bits.Mul64(load64(b, 0)^k1, load64(b, n-8)^k2^uint64(n))
	h2, l2 := bits.Mul64(load64(b, third)^k2, load64(b, n-8-third)^k1)
	hash = (h1 ^ l1 ^ bits.RotateLeft64(h2^l2, 32)) * k1
	return hash, uint32(hash) | 1
}

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// quantities are amounts of memory, and the like, by their messages.
var quantities memo[resource.Quantity]

// unmarshalQuantity decodes b into the zero Quantity at q.
func unmarshalQuantity(q *resource.Quantity, b []byte) error {
	known, again := quantities.find(b)
	if known != nil {
		*q = known.value
		return nil
	}
	err := q.Unmarshal(b)
	if again && err == nil && pointerless(reflect.ValueOf(q).Elem()) {
		quantities.keep(string(b), *q)
	}
	return err
}

// pointerless reports whether copies of v share nothing but strings. That is true
// of all but the Quantities of very many digits.
func pointerless(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Int32, reflect.Int64:
		return true
	case reflect.Pointer:
		return v.IsNil()
	case reflect.Struct:
		for i := range v.NumField() {
			if !pointerless(v.Field(i)) {
				return false
			}
		}
		return true
	}
	return false
}
