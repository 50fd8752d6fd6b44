package wire

import (
	"hash/maphash"
	"sync/atomic"
)

const (
	internBits = 13
	// internMax is the length of the longest string that is worth a look.
	internMax = 128
)

// interner remembers strings that came more than once, so that objects share them:
// the siblings of a Deployment hold the same names, images, labels and values. It
// has a fixed number of places, in which the newer string replaces the older; it
// never holds more than 8,192 strings of 128 bytes. Any number of goroutines may use it.
type interner struct {
	seed   maphash.Seed
	seen   [1 << internBits]atomic.Uint32 // what came last to each place: a part of its hash
	places [1 << internBits]atomic.Pointer[interned]
}

// interned is a string that came twice, and the same as what is in an interface.
type interned struct {
	text  string
	boxed any
}

// shared is the interner of this process.
var shared = interner{seed: maphash.MakeSeed()}

// text returns b as a string.
func (in *interner) text(b []byte) string {
	if found, text := in.find(b); found == nil {
		return text
	} else {
		return found.text
	}
}

// find returns the string that is remembered, or else a new one.
func (in *interner) find(b []byte) (*interned, string) {
	if len(b) > internMax || len(b) < 2 { // of one byte there is one in the runtime
		return nil, string(b)
	}
	h := maphash.Bytes(in.seed, b)
	i := h >> (64 - internBits)
	if known := in.places[i].Load(); known != nil && known.text == string(b) {
		return known, ""
	}
	// The first time a string is only marked: what does not come again is not worth
	// more.
	mark := uint32(h)
	if in.seen[i].Load() != mark {
		in.seen[i].Store(mark)
		return nil, string(b)
	}
	text := string(b)
	known := &interned{text, text}
	in.places[i].Store(known)
	return known, ""
}
