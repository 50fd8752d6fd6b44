package delta_test

import (
	"testing"

	"github.com/vedette-io/vedette/delta"
)

// noted is a delta with a note.
type noted struct {
	delta.Delta
	note int
}

// TestQueueOfItems: an item keeps what it carries beside its delta, in order, through Get
// and Pop. weigh decides what an item counts, and which item completes a list.
func TestQueueOfItems(t *testing.T) {
	weigh := func(n noted) (int, bool) { return n.note, n.Kind == delta.End }
	q := delta.NewQueueOf(delta.Limits{}, weigh)
	put := func(kind delta.Kind, notes ...int) {
		t.Helper()
		for _, note := range notes {
			if err := q.Put(t.Context(), noted{delta.Delta{Kind: kind}, note}); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(delta.Upsert, 2, 3, 4)
	if n, bytes := q.Len(); n != 3 || bytes != 9 {
		t.Errorf("%d items of %d bytes", n, bytes)
	}
	err := q.Pop(t.Context(), func(n noted) error {
		if n.note != 2 {
			t.Errorf("Pop: %d", n.note)
		}
		return nil
	})
	if n, bytes := q.Len(); err != nil || n != 2 || bytes != 7 {
		t.Errorf("%d items of %d bytes after Pop, %v", n, bytes, err)
	}
	put(delta.End, 5)
	if q.HasSynced() {
		t.Error("synced before the list has left the queue")
	}
	batch, err := q.Get(t.Context())
	if err != nil || len(batch) != 3 || batch[0].note != 3 || batch[1].note != 4 || batch[2].note != 5 {
		t.Errorf("Get: %+v, %v", batch, err)
	}
	if n, bytes := q.Len(); n != 0 || bytes != 0 || !q.HasSynced() {
		t.Errorf("%d items of %d bytes, synced %v", n, bytes, q.HasSynced())
	}
}
