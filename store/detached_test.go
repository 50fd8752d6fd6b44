package store_test

import (
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/retained"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
)

// keptBytes returns the heap that one change in 100 keeps, after the store is gone.
func keptBytes(t *testing.T, keep func(store.Change) store.Change) int {
	n := testinput.Size(t, 2_500, 5_000)
	return retained.Bytes(t, func() any {
		kept := make([]store.Change, 0, n/100)
		s, texts, version := ofPods(t, n)
		sub := s.Subscribe(store.EveryChange)
		defer sub.Close()
		for i := range n {
			version++
			if err := s.Apply(t.Context(), delta.Batch{pod(i, version, texts[i])}); err != nil {
				t.Fatal(err)
			}
			changes, _, err := sub.CatchUp()
			if err != nil || len(changes) != 1 {
				t.Fatalf("%d changes, %v", len(changes), err)
			}
			if i%100 == 0 {
				kept = append(kept, keep(changes[0]))
			}
		}
		return kept
	})
}

// TestDetached: detached changes keep their own bytes only, and read like the originals.
func TestDetached(t *testing.T) {
	shared := keptBytes(t, func(c store.Change) store.Change { return c })
	detached := keptBytes(t, func(c store.Change) store.Change {
		d := c.Detached()
		if d.Kind != c.Kind || entry(d.Old) != entry(c.Old) || entry(d.New) != entry(c.New) {
			t.Fatalf("got %v, want %v", d, c)
		}
		return d
	})
	t.Logf("the changes keep %d bytes, detached %d", shared, detached)
	if detached > shared/5 {
		t.Errorf("the detached changes keep %d bytes, want at most 1/5 of %d", detached, shared)
	}
}
