package portal

import (
	"context"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/jobview"
	"github.com/vedette-io/vedette/platform/portal/livestream"
)

const (
	// maxQueue is the maximum number of changes that wait for their details.
	maxQueue = 20_000
	// relayAtOnce is the number of changes whose details one read returns.
	relayAtOnce = 500
	// detailTime is the time limit of a read of details. After it, changes are sent without
	// details.
	detailTime = 400 * time.Millisecond
	// detailsUpTo is the length of the queue above which changes are sent without details.
	detailsUpTo = 4 * relayAtOnce
)

// relay passes changes from the index, which must not wait, to the hub. It adds the details of
// their rows.
type relay struct {
	hub     *livestream.Hub
	details func(context.Context, []jobindex.Row) (map[int64]jobview.Extra, error)

	mu    sync.Mutex
	queue []jobindex.Change
	lost  bool // changes were dropped
	wake  chan struct{}
}

func newRelay(hub *livestream.Hub, details func(context.Context, []jobindex.Row) (map[int64]jobview.Extra, error)) *relay {
	return &relay{hub: hub, details: details, wake: make(chan struct{}, 1)}
}

// add takes changes. It does not block.
func (r *relay) add(some []jobindex.Change) {
	r.mu.Lock()
	if len(r.queue)+len(some) > maxQueue {
		r.queue, r.lost = nil, true
	} else {
		r.queue = append(r.queue, some...)
	}
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// run relays changes until ctx ends. position returns the position of the index.
func (r *relay) run(ctx context.Context, position func() int64) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		}
		for ctx.Err() == nil {
			some, waiting, lost := r.take()
			if lost {
				r.hub.Reset(position(), "behind")
			}
			if len(some) == 0 {
				break
			}
			r.hub.Append(r.detailed(ctx, some, waiting <= detailsUpTo))
		}
	}
}

// take returns the next changes, and how many wait after them. lost reports that changes before
// them were dropped.
func (r *relay) take() (some []jobindex.Change, waiting int, lost bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.queue), relayAtOnce)
	some, r.queue = r.queue[:n:n], r.queue[n:]
	if len(r.queue) == 0 {
		r.queue = nil // the array is collected with some
	}
	lost, r.lost = r.lost, false
	return some, len(r.queue), lost
}

// detailed returns the changes for the hub, with details.
func (r *relay) detailed(ctx context.Context, some []jobindex.Change, details bool) []livestream.Change {
	var extras map[int64]jobview.Extra
	if details {
		rows := make([]jobindex.Row, len(some))
		for i := range some {
			rows[i] = some[i].Row
		}
		ctx, cancel := context.WithTimeout(ctx, detailTime)
		extras, _ = r.details(ctx, rows) // without details, the rows show less
		cancel()
	}
	last := map[int64]*jobindex.Row{} // by job: the row that the details belong to
	for i := range some {
		last[some[i].Row.ID] = &some[i].Row
	}
	all := make([]livestream.Change, len(some))
	for i := range some {
		r, extra := &some[i].Row, jobview.Extra{}
		if of := last[r.ID]; of.State == r.State && of.Since.Equal(r.Since) {
			extra = extras[r.ID]
		}
		all[i] = changeOf(&some[i], extra)
	}
	return all
}
