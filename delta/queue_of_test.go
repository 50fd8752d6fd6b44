package delta_test

import (
	"testing"

	"github.com/vedette-io/vedette/delta"
)

// annotated is a delta with a note.
type annotated struct {
	delta.Delta
	note int
}

// TestQueueOfItems checks that an item keeps its note and its order, and that the size
// function decides what an item counts.
func TestQueueOfItems(t *testing.T) {
	q := delta.NewQueueOf(delta.Limits{}, func(item annotated) int { return item.note })
	for _, note := range []int{2, 3, 4} {
		if err := q.Put(t.Context(), annotated{note: note}); err != nil {
			t.Fatal(err)
		}
	}
	if n, bytes := q.Len(); n != 3 || bytes != 9 {
		t.Errorf("Len: got %d, %d; want 3, 9", n, bytes)
	}
	batch, err := q.Get(t.Context())
	if err != nil || len(batch) != 3 || batch[0].note != 2 || batch[1].note != 3 || batch[2].note != 4 {
		t.Errorf("Get: got %+v, %v; want the notes 2, 3, 4", batch, err)
	}
	if n, bytes := q.Len(); n != 0 || bytes != 0 {
		t.Errorf("Len after Get: got %d, %d; want 0, 0", n, bytes)
	}
}
