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
	// internMax is the length of the longest text that is stored. It must be less than
	// 256.
	internMax = 128
)

// sharedTexts holds strings that occurred more than once, so that objects share them: the
// pods of a Deployment have the same names, images, labels and values. The table has a
// fixed number of slots, in which newer strings replace older ones, so it holds at most
// 4,096 strings of 128 bytes. Any number of goroutines may use it.
var sharedTexts [1 << internBits]struct {
	known atomic.Pointer[byte] // from keepString
	mark  atomic.Uint32        // mark of known; if it differs, known need not be compared
	seen  atomic.Uint32        // mark of the last text
}

// sharedText returns b as a string.
func sharedText(b []byte) string {
	if len(b) < 2 || len(b) > internMax { // the runtime shares strings of one byte
		return string(b)
	}
	hash, mark := hashText(b)
	at := &sharedTexts[hash>>(64-internBits)]
	if at.mark.Load() == mark {
		if known := stringAt(at.known.Load()); known == string(b) {
			return known
		}
	}
	// The first occurrence of a text only sets the mark, because a text that does not
	// recur is not worth storing.
	if at.seen.Load() != mark {
		at.seen.Store(mark)
		return string(b)
	}
	p := keepString(b)
	at.known.Store(p) // before the mark, because readers of the mark use it
	at.mark.Store(mark)
	return stringAt(p)
}

// memo caches results for texts in the same way.
type memo[V any] [1 << internBits]struct {
	known atomic.Pointer[result[V]]
	mark  atomic.Uint32
	seen  atomic.Uint32
}

// result is a cached result for a text.
type result[V any] struct {
	text  string
	value V
}

// find returns the cached result for a text, or nil if there is none. again reports
// whether the text occurred before: then its result is worth caching.
func (m *memo[V]) find(b []byte) (known *result[V], again bool) {
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

// keep caches a result for a text.
func (m *memo[V]) keep(text string, v V) {
	hash, mark := hashText([]byte(text))
	at := &m[hash>>(64-internBits)]
	at.known.Store(&result[V]{text, v})
	at.mark.Store(mark)
}

// hashText hashes the length and at most 32 bytes of b, which are all bytes of a shorter
// text. Texts that differ only in other bytes replace each other in the tables.
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

// quantities caches decoded quantities, such as amounts of memory, by their messages.
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

// pointerless reports whether copies of v share only strings. That is true for all
// quantities except those with very many digits.
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
