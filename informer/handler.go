package informer

import (
	"context"
	"time"

	"github.com/vedette-io/vedette/store"
)

// Handler is a set of functions that an informer calls. One goroutine calls all functions of
// a handler, one after the other, and each handler has a goroutine of its own, so a slow
// handler does not delay others. Nil functions are not called. See HandlerConfig.Retry for
// the effect of an error.
type Handler[T any] struct {
	// OnAdd is called for a new object, and for each object that existed when the handler
	// was registered; then isInInitialList is true.
	OnAdd func(ctx context.Context, obj *T, isInInitialList bool) error
	// OnUpdate is called when an object has changed, and for a resync; then old and obj
	// are the same revision.
	OnUpdate func(ctx context.Context, old, obj *T) error
	// OnDelete is called when an object is gone. obj is its last state, or if missed,
	// its last known state. For an object that came and went while the handler lagged
	// by more than the backlog, there is no OnAdd before: see Event.CameAndWent.
	OnDelete func(ctx context.Context, obj *T, missed bool) error
	// OnEvent is called for every event. It excludes the three functions above.
	OnEvent func(ctx context.Context, ev Event[T]) error
	// OnBatch is called with all events since its last call, but at most
	// HandlerConfig.BatchSize. It excludes all other functions. The slice belongs to the
	// handler.
	OnBatch func(ctx context.Context, events []Event[T]) error
	// OnChanges is OnBatch with the changes of the store, whose entries have no type. It
	// is for adapters. The slice is shared with other handlers and must not be changed.
	OnChanges func(ctx context.Context, changes []store.Change) error
}

// Handle registers a handler. It may be called from any goroutine, before the informer runs
// or while it runs. The handler gets the current objects, then every change after them,
// without a gap or a duplicate. Its goroutine runs while the informer runs, and Run joins
// it.
//
// Errors: a handler without functions, or with functions that exclude each other; an
// invalid value in cfg; ErrStopped.
func (i *Informer[T]) Handle(h Handler[T], cfg HandlerConfig) (*Registration, error) {
	single := h.OnAdd != nil || h.OnUpdate != nil || h.OnDelete != nil
	n := 0
	for _, set := range []bool{single, h.OnEvent != nil, h.OnBatch != nil, h.OnChanges != nil} {
		if set {
			n++
		}
	}
	if n != 1 {
		return nil, invalid("", "a handler needs some of OnAdd, OnUpdate and OnDelete, or one of OnEvent, OnBatch and OnChanges")
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
