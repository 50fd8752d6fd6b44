package store_test

import (
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
)

// BenchmarkCommit applies one update at a time, each with a snapshot of its own.
func BenchmarkCommit(b *testing.B) {
	const n = 10000
	s := store.New(store.Config{})
	s.AddIndex(node)
	version := 0
	apply(b, s, begin)
	texts := make([][]byte, n)
	for i := range n {
		version++
		texts[i] = body(i, version)
		apply(b, s, pod(i, version, body(i, version)))
	}
	apply(b, s, end(version))
	batch := make(delta.Batch, 1)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		version++
		i = (i + 7919) % n
		batch[0] = pod(i, version, texts[i])
		if err := s.Apply(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}
