package record

import (
	"context"
	"slices"
	"sync"

	"github.com/vedette-io/vedette/delta"
)

// intake is between the reflector and the writer: a queue, and what was seen in its
// deltas. It is looked at them by the goroutine that reads the server, so that this
// goes on while the database takes what came before.
type intake struct {
	*delta.Queue
	lens    lens
	listed  bool // somebody has seen a list before: most of the next is known
	listing bool

	mu   sync.Mutex
	seen []*sighting // of each delta in the queue, and perhaps one that waits for room
}

// arrivals are deltas, and what was seen in each: nil where it has not been looked at.
type arrivals struct {
	deltas delta.Batch
	seen   []*sighting // or nothing, of none
}

// Put implements reflector.Sink.
func (q *intake) Put(ctx context.Context, d delta.Delta) error {
	s := q.look(&d)
	q.mu.Lock()
	q.seen = append(q.seen, s)
	q.mu.Unlock()
	return q.Queue.Put(ctx, d)
}

// look looks at a delta, and leaves in it what is kept of the object.
func (q *intake) look(d *delta.Delta) *sighting {
	switch d.Kind {
	case delta.Begin:
		q.listing = true
	case delta.End:
		q.listing, q.listed = false, true
	case delta.Upsert, delta.Delete:
		if q.listing && q.listed || d.Err != nil {
			return nil
		}
		s, err := q.lens.look(d, Watched)
		if err != nil {
			return nil // the writer comes to the same, and notes it
		}
		d.Record.Body = s.body
		return &s
	case delta.Keep, delta.Bookmark, delta.Leave:
	}
	return nil
}

// Get takes all that waits. It belongs to the caller until the next Get.
//
// Errors: as those of delta.Queue.
func (q *intake) Get(ctx context.Context) (arrivals, error) {
	deltas, err := q.Queue.Get(ctx)
	if err != nil {
		return arrivals{}, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	seen := q.seen[:len(deltas)]
	q.seen = slices.Clone(q.seen[len(deltas):])
	return arrivals{deltas, seen}, nil
}

// see makes a sighting of a delta.
func (a *arrivals) see(i int, l *lens, source Source) (sighting, error) {
	if i >= len(a.seen) || a.seen[i] == nil {
		return l.look(&a.deltas[i], source)
	}
	s := *a.seen[i]
	s.source = source
	return s, nil
}
