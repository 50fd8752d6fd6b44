package informer

import (
	"context"
	"iter"
	"time"

	"github.com/vedette-io/vedette/store"
)

// Subscribe says what a consumer wants to be told. The zero value works.
type Subscribe struct {
	// Mode: every change, or what became of each object since the consumer looked
	// last. Default store.EveryChange for Changes, store.Latest for handlers.
	Mode store.Mode
	// Filters choose objects and updates; all of them must agree. Default all.
	Filters []Filter
	// Resync is the period after which the consumer is told of each object again,
	// from the store: as it was told last, so that nothing goes back in time.
	// Default Config.Resync for handlers, never for Changes; negative: never.
	Resync time.Duration
}

// Events returns what is there now, as Added events marked Initial, and then
// everything that happens: every change, once, in order. The sequence waits for
// the next event; it ends when ctx is done, or when Run has returned and all has
// been told. Several sequences do not disturb each other.
//
// A loop body that lags behind by Config.Backlog makes the informer wait, so
// that nothing is lost and memory stays bounded.
func (i *Informer[T]) Events(ctx context.Context) iter.Seq[Event[T]] {
	return i.Changes(ctx, Subscribe{})
}

// Changes is Events as the subscription says.
func (i *Informer[T]) Changes(ctx context.Context, s Subscribe) iter.Seq[Event[T]] {
	if s.Mode == 0 {
		s.Mode = store.EveryChange
	}
	return func(yield func(Event[T]) bool) {
		i.engine.expect()
		f := flow{engine: i.engine, subscribe: s, synced: func() {}}
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

// initialRun is how many objects of a snapshot are handed over at once.
const initialRun = 256

// flow carries changes from the store to one consumer, on its goroutine.
type flow struct {
	engine    *engine
	subscribe Subscribe
	synced    func() // called once, when the consumer has been told all of the first lists
	deliver   func([]store.Change) bool
}

// run goes on until ctx is done, the engine has stopped and all has been told,
// or deliver returns false.
func (f *flow) run(ctx context.Context, deliver func([]store.Change) bool) {
	f.deliver = deliver
	sub := f.engine.store.Subscribe(f.subscribe.Mode)
	defer sub.Close()
	now := sub.Snapshot()
	if !f.tellAll(now, store.Added, store.Initial) {
		return
	}
	storeSynced := f.engine.store.Synced()
	if now.Synced() {
		storeSynced = nil
		f.synced()
	}
	var resync <-chan time.Time
	if f.subscribe.Resync > 0 {
		t := time.NewTicker(f.subscribe.Resync)
		defer t.Stop()
		resync = t.C
	}
	for last := false; !last; {
		due := false
		select {
		case <-ctx.Done():
			return
		case <-f.engine.stopped.Done():
			last = true
		case <-resync:
			due = true
		case <-storeSynced:
		case <-sub.Ready():
		}
		changes, now, err := sub.CatchUp()
		if err != nil || ctx.Err() != nil || !f.tell(changes) {
			return
		}
		if storeSynced != nil && now.Synced() {
			storeSynced = nil
			f.synced()
		}
		if due && !f.tellAll(now, store.Updated, store.Resynced) {
			return
		}
	}
}

// tellAll tells of all objects of a snapshot.
func (f *flow) tellAll(now *store.Snapshot, kind store.ChangeKind, cause store.Cause) bool {
	run := make([]store.Change, 0, min(initialRun, now.Len()))
	for e := range now.All() {
		c := store.Change{Kind: kind, Cause: cause, New: e}
		if kind == store.Updated {
			c.Old = e
		}
		if run = append(run, c); len(run) == initialRun {
			if !f.tell(run) {
				return false
			}
			run = make([]store.Change, 0, initialRun)
		}
	}
	return f.tell(run)
}

// tell hands over what the filters leave.
func (f *flow) tell(changes []store.Change) bool {
	if len(f.subscribe.Filters) > 0 {
		kept := make([]store.Change, 0, len(changes))
		for _, c := range changes {
			if c, ok := filtered(f.subscribe.Filters, c); ok {
				kept = append(kept, c)
			}
		}
		changes = kept
	}
	return len(changes) == 0 || f.deliver(changes)
}
