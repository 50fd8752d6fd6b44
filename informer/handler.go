package informer

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/store"
)

// Handler is what an informer calls. All functions of one handler are called one
// after the other, on one goroutine of its own, so a slow handler delays no
// other. Those that are nil are left out. An error is a failure: see
// HandlerConfig.Retry.
type Handler[T any] struct {
	// OnAdd: there is a new object, or one that was there when the handler was
	// registered; then isInInitialList is true.
	OnAdd func(ctx context.Context, obj *T, isInInitialList bool) error
	// OnUpdate: an object has changed. With a resync old and new are the same
	// revision.
	OnUpdate func(ctx context.Context, old, obj *T) error
	// OnDelete is called when an object is gone. obj is its last state, or if missed,
	// its last known state. For an object that came and went while the handler lagged
	// by more than the backlog, there is no OnAdd before: see Event.CameAndWent.
	OnDelete func(ctx context.Context, obj *T, missed bool) error
	// OnEvent is called for every event; then the three above may not be set.
	OnEvent func(ctx context.Context, ev Event[T]) error
	// OnBatch is called with all events that have come since it was called last,
	// up to HandlerConfig.BatchSize; then nothing else may be set. The slice
	// belongs to the handler.
	OnBatch func(ctx context.Context, events []Event[T]) error
	// OnChanges is OnBatch with the changes of the store, whose entries have no type. It
	// is for adapters. The slice is shared with other handlers and must not be changed.
	OnChanges func(ctx context.Context, changes []store.Change) error
}

// HandlerConfig is the configuration of a handler. The zero value works.
type HandlerConfig struct {
	// Name tells the handler from others in logs, health and metrics; default its
	// number.
	Name string
	// Subscription selects what the handler is told; by default every change, in order
	// (store.EveryChange). A slow handler blocks nobody: if it lags by more than
	// Config.Backlog changes, it gets the folded changes of each object, and Health
	// shows it.
	Subscription SubscriptionConfig
	// Retry says how often an event is handled again after an error before it is
	// given up, with a pause that doubles from MinBackoff (default 100 ms) to
	// MaxBackoff (default 30 s). Later events wait meanwhile. Default never: the
	// error is reported. Negative: for ever. Work that may fail for long belongs
	// into a workqueue.
	Retry                  int
	MinBackoff, MaxBackoff time.Duration
	// Panics determines what happens after the handler or one of its filters panics;
	// default RetryOnPanic. After the panic of a filter, RetryOnPanic and SkipOnPanic let
	// the change pass: a consumer can ignore a change, but not miss one.
	Panics PanicPolicy
	// BatchSize is how many events OnBatch or OnChanges gets at most; default 1,000.
	BatchSize int
	// Report is told of each failure, on the handler's goroutine: errors, and
	// panics with their stack. Default: Config.Logger.
	Report func(error)
}

// Handle registers a handler. It may be called before, while and as long as the
// informer runs, from any goroutine. The handler is told of the objects that are
// there, then of every change after them: no gap, no duplicate. Its goroutine
// runs while the informer runs, and is joined by Run.
//
// Errors: a handler that has nothing to call, or both one function for all
// events and others; an illegal value in cfg; ErrStopped.
func (i *Informer[T]) Handle(h Handler[T], cfg HandlerConfig) (*Registration, error) {
	single := h.OnAdd != nil || h.OnUpdate != nil || h.OnDelete != nil
	n := 0
	for _, set := range []bool{single, h.OnEvent != nil, h.OnBatch != nil, h.OnChanges != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return nil, invalid("", "a handler has either some of OnAdd, OnUpdate and OnDelete, or OnEvent, or OnBatch, or OnChanges")
	}
	if cfg.Subscription.Mode > store.Lossless {
		return nil, invalid("", "Subscription.Mode of a handler is %d, want store.EveryChange, Latest or Lossless", cfg.Subscription.Mode)
	}
	if cfg.MinBackoff < 0 || cfg.MaxBackoff < 0 || cfg.BatchSize < 0 || cfg.Panics > CrashOnPanic {
		return nil, invalid("", "a handler has a negative MinBackoff, MaxBackoff or BatchSize, or an unknown value of Panics")
	}
	if cfg.MinBackoff == 0 {
		cfg.MinBackoff = 100 * time.Millisecond
	}
	if cfg.MaxBackoff == 0 {
		cfg.MaxBackoff = 30 * time.Second
	}
	if cfg.BatchSize == 0 || !h.batches() {
		cfg.BatchSize = 1000
	}
	if cfg.Subscription.Resync == 0 {
		cfg.Subscription.Resync = i.resync
	}
	i.engine.expectRun()
	return i.engine.register(cfg, i.logger, func(ctx context.Context, changes []store.Change) error {
		return h.call(ctx, i, changes)
	}, h.batches())
}

// batches reports whether the handler takes several changes at once.
func (h *Handler[T]) batches() bool { return h.OnBatch != nil || h.OnChanges != nil }

// call calls the handler with changes: one, unless it takes batches.
func (h *Handler[T]) call(ctx context.Context, i *Informer[T], changes []store.Change) error {
	if h.OnChanges != nil {
		return h.OnChanges(ctx, changes)
	}
	if h.OnBatch != nil {
		events := make([]Event[T], len(changes))
		for n, c := range changes {
			events[n] = Event[T]{i, c}
		}
		return h.OnBatch(ctx, events)
	}
	ev := Event[T]{i, changes[0]}
	if h.OnEvent != nil {
		return h.OnEvent(ctx, ev)
	}
	switch {
	case ev.Kind() == store.Added && h.OnAdd == nil, ev.Kind() == store.Updated && h.OnUpdate == nil, ev.Kind() == store.Deleted && h.OnDelete == nil:
		return nil
	}
	obj, err := ev.Object()
	if err != nil {
		return err
	}
	switch ev.Kind() {
	case store.Added:
		return h.OnAdd(ctx, obj, ev.Initial())
	case store.Deleted:
		return h.OnDelete(ctx, obj, ev.Missed())
	}
	old, _, err := ev.Old() // an update always has an old state
	if err != nil {
		return err
	}
	return h.OnUpdate(ctx, old, obj)
}
