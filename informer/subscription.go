package informer

import (
	"context"
	"iter"
	"time"

	"github.com/vedette-io/vedette/store"
)

// SubscriptionConfig selects the events that a handler or a sequence of events gets. The
// zero value selects every change, in order.
type SubscriptionConfig struct {
	// Mode determines what happens to a consumer that lags by more than Config.Backlog
	// changes. store.EveryChange: the changes of each object are folded until the
	// consumer has caught up; this is logged, counted, and shown by Event.Changes and
	// Event.CameAndWent. store.Latest: changes are always folded, and objects that came
	// and went are left out. store.Lossless: the informer waits for the consumer, and
	// all other consumers wait too.
	Mode store.Mode
	// Filters choose objects and updates. An event must pass all of them. Default:
	// all events.
	Filters []Filter
	// Resync is the period after which the consumer gets each object again, in the
	// state that it got last. It sends no request. Default Config.Resync for handlers
	// and no resync for Changes; a negative value disables it.
	Resync time.Duration
}

// Events returns the current objects, as Added events marked Initial, followed by every
// change, once, in order. The sequence waits for the next event; it ends when ctx is
// done, or when Run has returned and all events have been delivered. Several sequences
// do not affect each other.
//
// If the loop body lags by more than Config.Backlog changes, it gets the changes of
// each object in one event until it has caught up; see Event.Changes. Use Changes with
// store.Lossless to make the informer wait instead.
func (i *Informer[T]) Events(ctx context.Context) iter.Seq[Event[T]] {
	return i.Changes(ctx, SubscriptionConfig{})
}

// Changes is Events for the events that cfg selects.
func (i *Informer[T]) Changes(ctx context.Context, cfg SubscriptionConfig) iter.Seq[Event[T]] {
	return func(yield func(Event[T]) bool) {
		i.engine.expectRun()
		f := subscriber{engine: i.engine, logger: i.logger, name: "sequence", cfg: cfg, synced: func() {}}
		f.run(ctx, func(changes []store.Change) bool {
			for _, c := range changes {
				if ctx.Err() != nil || !yield(Event[T]{i, c}) {
					return false
				}
			}
			return true
		})
	}
}
