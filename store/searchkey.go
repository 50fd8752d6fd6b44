package store

import (
	"encoding/binary"
	"sync"

	"github.com/vedette-io/vedette/wire"
)

// searchKey is a record used only for comparisons with the records of a tree.
type searchKey struct{ slab slab }

var searchKeys = sync.Pool{New: func() any { return new(searchKey) }}

// withSearchKey calls f with an entry that has the key and, if column is not negative,
// one value in that column.
func withSearchKey(key wire.Key, column int, value string, f func(Entry)) {
	p := searchKeys.Get().(*searchKey)
	defer searchKeys.Put(p)
	f(p.set(key, column, value))
}

// set encodes the key and the value, and returns the entry.
func (p *searchKey) set(key wire.Key, column int, value string) Entry {
	b := p.slab.buf[:0]
	for _, s := range [...]string{key.Cluster, key.Namespace, key.Name, ""} {
		b = binary.AppendUvarint(b, uint64(len(s)))
	}
	b = append(append(append(b, key.Cluster...), key.Namespace...), key.Name...)
	b = append(b, 0) // version
	if column >= 0 {
		for range column {
			b = append(b, 0)
		}
		b = binary.AppendUvarint(append(b, 1), uint64(len(value)))
		b = append(b, value...)
	}
	// The size precedes the bytes that it counts, and is known only now.
	n := len(b)
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	var head [1 + binary.MaxVarintLen64]byte
	h := 1 + binary.PutUvarint(head[1:], uint64(n))
	copy(b[h:], b[:n])
	copy(b, head[:h])
	p.slab.buf = b
	return Entry{slab: &p.slab}
}
