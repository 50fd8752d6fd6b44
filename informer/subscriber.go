package informer

import (
	"context"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/store"
)

// initialRun is how many objects of a snapshot are handed over at once.
const initialRun = 256

// flow carries changes from the store to one consumer, on its goroutine.
type subscriber struct {
	engine       *engine
	logger       func() *slog.Logger
	name         string // name of the consumer, for the log
	cfg          SubscriptionConfig
	sub          *store.Subscription                // made before run; nil if run makes it
	lag          atomic.Pointer[store.Subscription] // its Lag is the Lag of the consumer
	loggedBehind bool                               // logged as behind, and not yet as caught up
	synced       func()                             // called once, when the consumer has seen all of the first lists
	deliver      func([]store.Change) bool
}

// run goes on until ctx is done, the engine has stopped and all has been told,
// or deliver returns false.
func (f *subscriber) run(ctx context.Context, deliver func([]store.Change) bool) {
	f.deliver = deliver
	sub := f.sub
	if sub == nil {
		sub = f.engine.store.Subscribe(f.cfg.Mode)
	}
	defer sub.Close()
	f.lag.Store(sub)
	sub.OnLag(f.fellBehind)
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
		if err != nil || ctx.Err() != nil || !f.deliverFiltered(changes) {
			return
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

// deliverAll tells of all objects of a snapshot.
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

// tell hands over what the filters leave.
func (f *subscriber) deliverFiltered(changes []store.Change) bool {
	if len(f.cfg.Filters) > 0 {
		kept := make([]store.Change, 0, len(changes))
		for _, c := range changes {
			if c, ok := f.chosen(c); ok {
				kept = append(kept, c)
			}
		}
		changes = kept
	}
	return len(changes) == 0 || f.deliver(changes)
}

// chosen returns a change as the filters leave it, and whether anything is left. If a
// filter panics, the change passes unfiltered: it is safer for the consumer to see too
// much than too little.
func (f *subscriber) chosen(c store.Change) (left store.Change, ok bool) {
	defer func() {
		if v := recover(); v != nil {
			left, ok = c, true
			f.logger().Error("informer: a filter panicked; the change passes it",
				"resource", f.engine.named(), "consumer", f.name, "key", c.Last().Key().String(), "err", &PanicError{v, debug.Stack()})
		}
	}()
	return filtered(f.cfg.Filters, c)
}
