package record

import (
	"context"

	"github.com/vedette-io/vedette/delta"
)

// decoder is the sink of a reflector. It decodes deltas on the goroutine that reads the
// server, which overlaps with writing the previous batch.
type decoder struct {
	queue   *delta.QueueOf[item]
	lens    lens
	listed  bool // a list was seen before: most objects of the next one are known
	listing bool
}

// item is a delta on its way to the writer, with its observation. The observation is
// nil if the delta has not been decoded yet.
type item struct {
	delta.Delta
	seen *sighting
}

func newDecoder(limits delta.Limits, l lens, listed bool) *decoder {
	weigh := func(it item) (int, bool) { return len(it.Record.Body), it.Kind == delta.End }
	return &decoder{queue: delta.NewQueueOf(limits, weigh), lens: l, listed: listed}
}

// Put implements reflector.Sink.
func (q *decoder) Put(ctx context.Context, d delta.Delta) error {
	it := item{Delta: d}
	it.seen = q.look(&it.Delta)
	return q.queue.Put(ctx, it)
}

// look decodes a delta, and leaves in it only the part of the object that is stored. It
// returns nil for deltas that the writer has to decode, or that need no decoding.
func (q *decoder) look(d *delta.Delta) *sighting {
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
			return nil // the writer gets the same error, and records it
		}
		d.Record.Body = s.body
		return &s
	case delta.Keep, delta.Bookmark, delta.Leave:
	}
	return nil
}

// sighting returns the sighting of an item, and makes it if the decoder has not.
func (it *item) sighting(l *lens, source Source) (sighting, error) {
	if it.seen == nil {
		return l.look(&it.Delta, source)
	}
	s := *it.seen
	s.source = source
	return s, nil
}
