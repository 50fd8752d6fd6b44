package informer

import (
	"context"
	"iter"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
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
		f := subscriber{engine: i.engine, logger: i.logger, name: "sequence", cfg: cfg, panics: i.engine.cfg.Panics, synced: func() {}}
		var current atomic.Pointer[store.Change]
		defer current.Store(nil)
		if cfg.Mode == store.Lossless {
			f.name = i.engine.sequenceName()
			f.current = func() (c store.Change, ok bool) {
				if at := current.Load(); at != nil {
					return *at, true
				}
				return c, false
			}
		}
		f.run(ctx, func(changes []store.Change) bool {
			defer current.Store(nil)
			for at, c := range changes {
				current.Store(&changes[at])
				if ctx.Err() != nil || !yield(Event[T]{i, c}) {
					return false
				}
			}
			return true
		})
	}
}

// initialRun is the number of objects of a snapshot that are delivered at once.
const initialRun = 256

// subscriber delivers the changes of the store to one consumer, on the goroutine of the
// consumer.
type subscriber struct {
	engine       *engine
	logger       func() *slog.Logger
	name         string // name of the consumer, for the log
	cfg          SubscriptionConfig
	sub          *store.Subscription                // made before run; nil if run makes it
	lag          atomic.Pointer[store.Subscription] // its Lag is the Lag of the consumer
	loggedBehind bool                               // logged as behind, and not yet as caught up
	panics       PanicPolicy                        // for filters
	stop         func(error)                        // ends the consumer; nil for a sequence
	filterPanics *faultlog.Reporter                 // nil before the first panic
	synced       func()                             // called once, when the consumer has seen all of the first lists
	bound        *fileBound                         // nil if the consumer acknowledges nothing
	deliver      func([]store.Change) bool
	current      func() (store.Change, bool) // the change that a consumer of Lossless handles
}

// run delivers changes until ctx is done, deliver returns false, or the engine has stopped
// and everything has been delivered.
func (f *subscriber) run(ctx context.Context, deliver func([]store.Change) bool) {
	f.deliver, f.cfg.Filters = deliver, typedBy(f.cfg.Filters, f.engine.completion)
	sub := f.sub
	if sub == nil {
		sub = f.engine.store.Subscribe(f.cfg.Mode)
	}
	defer sub.Close()
	defer func() {
		if f.filterPanics != nil {
			f.filterPanics.Stop()
		}
	}()
	f.lag.Store(sub)
	sub.OnLag(f.fellBehind)
	if f.cfg.Mode == store.Lossless {
		log := f.engine.log("informer: the informer waits for a consumer", "informer: the informer no longer waits for the consumer", "consumer", f.name)
		log.Logger = f.logger
		b := newBlocker(f.name, f.current, f.engine.store.Waiting, log)
		defer f.engine.monitor(b)()
		sub.OnFull(b.full)
	}
	now := sub.Snapshot()
	if !f.deliverAll(now, store.Added, store.Initial) {
		return
	}
	storeSynced := f.engine.store.Synced()
	if now.Synced() {
		storeSynced = nil
		f.synced()
	}
	var resync <-chan time.Time
	if f.cfg.Resync > 0 {
		t := time.NewTicker(f.cfg.Resync)
		defer t.Stop()
		resync = t.C
	}
	for last := false; !last; {
		due, mark := false, false
		select {
		case <-ctx.Done():
			return
		case <-f.engine.stopped.Done():
			last = true
		case <-resync:
			due = true
		case <-f.bound.asks():
			mark = true
		case <-storeSynced:
		case <-sub.Ready():
		}
		changes, now, err := f.take(sub, due || mark || storeSynced != nil)
		if err != nil || ctx.Err() != nil || !f.deliverFiltered(changes) {
			return
		}
		if mark {
			f.bound.mark(now)
		}
		f.caughtUp(sub.Lag())
		last = last && len(changes) == 0 // a consumer that is behind has more to take
		if storeSynced != nil && now.Synced() {
			storeSynced = nil
			f.synced()
		}
		if due && !f.deliverAll(now, store.Updated, store.Resynced) {
			return
		}
	}
}

// take returns the pending changes, and the snapshot after them if it is needed.
func (f *subscriber) take(sub *store.Subscription, needed bool) (changes []store.Change, now *store.Snapshot, err error) {
	if needed {
		return sub.CatchUp()
	}
	changes, err = sub.Changes()
	return changes, nil, err
}

// fellBehind reports the beginning of an episode. It runs on the goroutine that writes
// to the store.
func (f *subscriber) fellBehind(l store.Lag) {
	f.logger().Warn("informer: a consumer is too slow; changes of an object are folded until it has caught up",
		"resource", f.engine.named(), "consumer", f.name, "backlog", f.engine.cfg.backlog(), "episode", l.Episodes)
	f.engine.notify()
}

// caughtUp reports the end of an episode.
func (f *subscriber) caughtUp(l store.Lag) {
	if f.loggedBehind = f.loggedBehind || l.Behind; !f.loggedBehind || l.Behind {
		return
	}
	f.loggedBehind = false
	f.logger().Info("informer: a consumer has caught up",
		"resource", f.engine.named(), "consumer", f.name, "folded", l.Folded, "unreported", l.Unreported)
	f.engine.notify()
}

// deliverAll delivers all objects of a snapshot, and reports whether the consumer
// continues.
func (f *subscriber) deliverAll(now *store.Snapshot, kind store.ChangeKind, cause store.Cause) bool {
	run := make([]store.Change, 0, min(initialRun, now.Len()))
	for e := range now.All() {
		c := store.Change{Kind: kind, Cause: cause, New: e}
		if kind == store.Updated {
			c.Old = e
		}
		if run = append(run, c); len(run) == initialRun {
			if !f.deliverFiltered(run) {
				return false
			}
			run = make([]store.Change, 0, initialRun)
		}
	}
	return f.deliverFiltered(run)
}

// deliverFiltered delivers the changes that pass the filters.
func (f *subscriber) deliverFiltered(changes []store.Change) bool {
	if len(f.cfg.Filters) > 0 {
		kept := make([]store.Change, 0, len(changes))
		for _, c := range changes {
			c, ok, err := f.chosen(c)
			if err != nil && f.panics == StopOnPanic && f.stop != nil {
				f.stop(err)
				return false
			}
			if ok {
				kept = append(kept, c)
			}
		}
		changes = kept
	}
	return len(changes) == 0 || f.deliver(changes)
}

// chosen returns a change as the filters leave it, and whether anything is left. If a
// filter panics, the change passes unfiltered, and chosen returns the panic too.
func (f *subscriber) chosen(c store.Change) (left store.Change, ok bool, err error) {
	if f.panics == CrashOnPanic {
		left, ok = filtered(f.cfg.Filters, c)
		return left, ok, nil
	}
	defer func() {
		if v := recover(); v != nil {
			left, ok, err = c, true, &PanicError{Key: c.Last().Key(), Value: v, Stack: debug.Stack()}
			f.reportFilter(err)
		}
	}()
	left, ok = filtered(f.cfg.Filters, c)
	return left, ok, nil
}

// reportFilter logs the panic of a filter.
func (f *subscriber) reportFilter(err error) {
	if f.filterPanics == nil {
		f.filterPanics = f.engine.log("informer: a filter panicked; the change passes it", "", "consumer", f.name)
		f.filterPanics.Logger = f.logger
	}
	f.filterPanics.See(faultlog.State{Err: err})
}
