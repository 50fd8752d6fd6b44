package record

import (
	"context"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/internal/observe"
)

// The bounds of a queue are the bounds of a transaction too, because the writer takes all
// that waits. They are large enough to share the cost of a commit, and small enough to
// keep transactions short.
const (
	maxDeltas = 1000
	maxBytes  = 4 << 20
)

// item is a delta on its way to the writer, with its observation. observed is nil if the
// delta has not been decoded yet.
type item struct {
	delta.Delta
	observed *observe.Observation
}

// observation returns the observation of an item, and makes it if there is none yet.
//
// Errors: those of observe.
func (it *item) observation(p *observe.Projection, source model.Source) (observe.Observation, error) {
	if it.observed == nil {
		return observe.Observe(p, &it.Delta, source)
	}
	o := *it.observed
	o.Source = source
	return o, nil
}

// decoder is the sink of a reflector. It decodes deltas on the goroutine that reads the
// server, while another goroutine writes the previous batch.
type decoder struct {
	queue      *delta.QueueOf[item]
	projection *observe.Projection
	listed     bool // a list was seen before, so the database has most objects of the next
	listing    bool
}

// newDecoder returns a decoder with an empty queue. listed says that a recorder has seen a
// list of the scope before.
func newDecoder(p *observe.Projection, listed bool) *decoder {
	size := func(it item) int { return len(it.Record.Body) }
	limits := delta.Limits{Deltas: maxDeltas, Bytes: maxBytes}
	return &decoder{queue: delta.NewQueueOf(limits, size), projection: p, listed: listed}
}

// Put implements reflector.Sink.
func (d *decoder) Put(ctx context.Context, change delta.Delta) error {
	it := item{Delta: change}
	it.observed = d.decode(&it.Delta)
	return d.queue.Put(ctx, it)
}

// decode returns the observation of a delta, and leaves in the delta only the stored part
// of the object. It returns nil for deltas without a usable object, and for objects of a
// repeated list: the writer decodes the few of them that it does not know.
func (d *decoder) decode(change *delta.Delta) *observe.Observation {
	switch change.Kind {
	case delta.Begin:
		d.listing = true
	case delta.End:
		d.listing, d.listed = false, true
	case delta.Upsert, delta.Delete:
		if d.listing && d.listed || change.Err != nil {
			return nil
		}
		o, err := observe.Observe(d.projection, change, model.Watched)
		if err != nil {
			return nil // the writer gets the same error, and records it
		}
		change.Record.Body = o.Body
		return &o
	case delta.Keep, delta.Bookmark, delta.Leave:
	}
	return nil
}
