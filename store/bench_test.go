package store_test

import (
	"bytes"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
)

// ofPods returns a store of n pods with an index, their bodies, and the last version.
func ofPods(tb testing.TB, n int) (s *store.Store, texts [][]byte, version int) {
	s = store.New(store.Config{})
	s.AddIndex(node)
	apply(tb, s, begin)
	texts = make([][]byte, n)
	for i := range n {
		version++
		texts[i] = body(i, version)
		apply(tb, s, pod(i, version, bytes.Clone(texts[i]))) // apply clears the body
	}
	apply(tb, s, end(version))
	return s, texts, version
}

// BenchmarkCommit applies one update at a time, each with its own snapshot.
func BenchmarkCommit(b *testing.B) {
	const n = 10_000
	s, texts, version := ofPods(b, n)
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
