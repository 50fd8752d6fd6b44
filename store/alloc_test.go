package store_test

import (
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestAllocations limits the allocations of updates in a store of 10,000 objects with an
// index that nobody reads: single updates, which change nodes in place, and batches, which
// copy each node once.
func TestAllocations(t *testing.T) {
	const n = 10_000
	s, texts, version := ofPods(t, n)
	for _, c := range []struct {
		batch int
		most  float64 // allocations per event
	}{{1, 19}, {64, 11.6}} {
		at := 0
		perBatch := testing.AllocsPerRun(testinput.Size(t, max(60, 300/c.batch), 300), func() {
			batch := make(delta.Batch, c.batch)
			for i := range batch {
				version++
				at = (at + 7919) % n
				batch[i] = pod(at, version, texts[at])
			}
			if err := s.Apply(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		})
		made := testing.AllocsPerRun(100, func() { _ = pod(at, version, texts[at]) })
		perEvent := perBatch/float64(c.batch) - made
		t.Logf("%.1f allocations for each event in batches of %d", perEvent, c.batch)
		if perEvent > c.most {
			t.Errorf("got %.1f allocations per event in batches of %d, want at most %.0f", perEvent, c.batch, c.most)
		}
	}
}
