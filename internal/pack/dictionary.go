package pack

import "encoding/binary"

const (
	// MaxDictionary bounds a dictionary, in bytes: positions in it have 16 bits, and 0
	// means none.
	MaxDictionary = 1 << 16
	// dictionaryBits is the size of a dictionary's hash table.
	dictionaryBits = 16
)

// Dictionary is a text that many bodies of one kind have in common, with an index. It is
// immutable: any number of goroutines may use it at once.
type Dictionary struct {
	text  []byte
	table []uint16 // hash of six bytes -> their position in text, plus one
}

// NewDictionary returns a dictionary of the last MaxDictionary-1 bytes of a text. It keeps
// a copy.
func NewDictionary(text []byte) *Dictionary {
	if len(text) >= MaxDictionary {
		text = text[len(text)-MaxDictionary+1:]
	}
	d := emptyDictionary(len(text))
	d.extend(text)
	return d
}

func emptyDictionary(size int) *Dictionary {
	return &Dictionary{text: make([]byte, 0, max(size, 0)), table: make([]uint16, 1<<dictionaryBits)}
}

// extend appends to the text. Only the goroutine that makes the dictionary may call it.
func (d *Dictionary) extend(text []byte) {
	from := max(0, len(d.text)-7) // the first position that lacked eight bytes
	d.text = append(d.text, text...)
	for i := from; i+8 <= len(d.text); i++ {
		d.table[hash(load64(d.text, i), dictionaryBits)] = uint16(i + 1)
	}
}

// Text returns the text of the dictionary. The caller must not change it.
func (d *Dictionary) Text() []byte { return d.text }

func load64(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// hash mixes the first six bytes of v.
func hash(v uint64, bits uint8) uint64 { return (v << 16) * 0x9E3779B97F4A7C15 >> (64 - bits) }
