package record

import (
	"context"
	"errors"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/wire"
)

// The limits of the queue also limit a transaction, because the writer takes all waiting
// deltas. They are large enough to share the cost of a commit, and small enough to keep
// transactions short.
const (
	maxDeltas = 1000
	maxBytes  = 4 << 20
)

// item is a delta for the writer, together with its observation. observed is nil until the
// delta is decoded.
type item struct {
	delta.Delta
	observed *observe.Observation
}

// observation returns the observation of an item, and decodes the item if necessary.
//
// Errors: those of observe.Observe.
func (it *item) observation(p *observe.Projection, source model.Source) (observe.Observation, error) {
	if it.observed == nil {
		return observe.Observe(p, &it.Delta, source)
	}
	o := *it.observed
	o.Source = source
	return o, nil
}

// decoder is the sink of a reflector. It decodes deltas on the goroutine that reads from
// the server, while another goroutine writes the previous batch. An item travels with its
// observation through one queue, so the two cannot get out of step.
type decoder struct {
	queue      *delta.QueueOf[item]
	projection *observe.Projection
	encoder    *bodies.Encoder // of the writer; only Prepare
	listed     bool            // a list was received before, so the database has most objects of the next list
	listing    bool
	base       wire.Version // base of the versions
}

// newDecoder returns a decoder with an empty queue, for a writer with an encoder. listed
// reports whether a recorder has received a list of the scope before.
func newDecoder(p *observe.Projection, e *bodies.Encoder, listed bool, base wire.Version) *decoder {
	size := func(it item) int { return len(it.Record.Body) }
	limits := delta.Limits{Deltas: maxDeltas, Bytes: maxBytes}
	return &decoder{queue: delta.NewQueueOf(limits, size), projection: p, encoder: e, listed: listed, base: base}
}

// errOpaque ends a target whose revisions have no order.
var errOpaque = errors.New("the server's resourceVersions are not integers, and a history orders revisions by them: record the clusters behind this server instead")

// Put implements reflector.Sink.
//
// Errors: errOpaque; those of the queue.
func (d *decoder) Put(ctx context.Context, change delta.Delta) error {
	if change.Version.Opaque() || change.Record.Version.Opaque() {
		return errOpaque
	}
	rebase(&change, d.base)
	it := item{Delta: change}
	it.observed = d.decode(&it.Delta)
	return d.queue.Put(ctx, it)
}

// rebase changes the versions of a delta from those of the server to those of the history. Begin
// gets the base of the list.
func rebase(change *delta.Delta, base wire.Version) {
	if change.Version > 0 || change.Kind == delta.Begin {
		change.Version += base
	}
	if change.Record.Version > 0 {
		change.Record.Version += base
	}
}

// decode returns the observation of a delta, and reduces the body of the delta to the
// stored part. It returns nil for a delta without a usable object, and for an object of a
// repeated list: the writer decodes only the few objects that are new.
func (d *decoder) decode(change *delta.Delta) *observe.Observation {
	switch change.Kind {
	case delta.Begin:
		d.listing = true
	case delta.End:
		d.listing, d.listed = false, true
	case delta.Abandon:
		d.listing = false
	case delta.Upsert, delta.Delete:
		if d.listing && d.listed || change.Err != nil {
			return nil
		}
		o, err := observe.Observe(d.projection, change, model.Watched)
		if err != nil {
			return nil // the writer gets the same error, and records it
		}
		change.Record.Body = o.Body
		o.Prepared = d.encoder.Prepare(o.Body, d.listing) // the objects of a first list are new
		return &o
	case delta.Keep, delta.Bookmark, delta.Leave:
	}
	return nil
}
