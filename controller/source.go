package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/guard"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Source is an informer that a controller uses. Create it with Objects, Owners,
// MappedObjects, Mapped or ReadOnly:
//
//	controller.Objects(jobs, informer.GenerationChanged())
//	controller.Owners(pods, controller.Owner{Group: "batch", Kind: "Job"})
//
// The filters of these functions choose objects and updates; an event must pass all of them.
// Objects that the filters reject enqueue no key, but are in the view. Without filters, a
// source enqueues keys for all events.
type Source struct{ impl untypedSource }

// SourceConfig configures a source; see Source.With.
type SourceConfig struct {
	// Name identifies the source in reasons, logs and health; default the informer's
	// resource.
	Name string
	// Priority is the priority of the keys of changes. The keys of initial objects have a
	// priority that is lower by -InitialPriority.
	Priority int8
	// Resync is the period at which the source repeats all its objects; default the
	// informer's period, negative means never.
	Resync time.Duration
}

// With returns the source with a configuration. A source without keys ignores it.
func (s Source) With(cfg SourceConfig) Source {
	if s.impl == nil {
		return s
	}
	return Source{s.impl.with(cfg)}
}

// Objects is a source of the keys of the informer's objects.
func Objects[T any](i *informer.Informer[T], filters ...informer.Filter) Source {
	return newSource(i, filters, func(ev informer.Event[T]) ([]wire.Key, error) { return []wire.Key{ev.Key()}, nil })
}

// MappedObjects is a source of the keys that a function computes from an object:
//
//	controller.MappedObjects(pods, func(pod *corev1.Pod) []wire.Key {
//		return []wire.Key{{Name: pod.Spec.NodeName}}
//	})
//
// The function is called for the new state of an object and for the old one, and the source
// enqueues the keys of both, so an object that moves from one key to another wakes both. The
// source decodes each state that the filters choose. The function must not change or keep
// the object. It is called on a goroutine of the informer and must return quickly. If it
// panics, or an object cannot be decoded, the fault is logged and counted, and the event is
// skipped.
func MappedObjects[T any](i *informer.Informer[T], keys func(*T) []wire.Key, filters ...informer.Filter) Source {
	s := newSource(i, filters, func(ev informer.Event[T]) ([]wire.Key, error) { return keysOfStates(ev, keys) })
	if f, ok := s.impl.(*typedSource[T]); ok && keys == nil {
		f.invalid = errors.New("MappedObjects has no function; pass one that returns the keys of an object")
	}
	return s
}

// keysOfStates returns the keys of the old and the new state of an event, each key once.
func keysOfStates[T any](ev informer.Event[T], keys func(*T) []wire.Key) ([]wire.Key, error) {
	now, err := ev.Object()
	if err != nil {
		return nil, err
	}
	all := slices.Clone(keys(now))
	if change := ev.Change(); change.Old.IsZero() || change.Old.SameContent(change.Last()) {
		return all, nil // the states are the same, as in most deletions
	}
	old, _, err := ev.Old()
	if err != nil {
		return all, err
	}
	for _, key := range keys(old) {
		if !slices.Contains(all, key) {
			all = append(all, key)
		}
	}
	return all, nil
}

// Mapped is a source of the keys that a function computes from an event, for example from
// its bytes. If both the old and the new state matter, the function must use both, as
// MappedObjects does. The function is called on a goroutine of the informer and must return
// quickly. If it panics, the panic is logged and counted, and the event is skipped.
func Mapped[T any](i *informer.Informer[T], keys func(informer.Event[T]) []wire.Key, filters ...informer.Filter) Source {
	s := newSource(i, filters, func(ev informer.Event[T]) ([]wire.Key, error) { return keys(ev), nil })
	if f, ok := s.impl.(*typedSource[T]); ok && keys == nil {
		f.invalid = errors.New("Mapped has no function; pass one that returns the keys of an event")
	}
	return s
}

// ReadOnly is a source without keys. The controller waits until the informer is synced, has
// it in its views, and waits until it shows earlier writes.
func ReadOnly[T any](i *informer.Informer[T]) Source {
	if i == nil {
		return Source{}
	}
	return newSource(i, nil, nil)
}

// sink receives the keys and the faults of sources. The controller implements it.
type sink interface {
	name() string
	log() *slog.Logger
	enqueue(b batch, priority int8) error
	mappingFailed(source string, object wire.Key, err error)
}

// untypedSource is a source without its type parameter.
type untypedSource interface {
	with(cfg SourceConfig) untypedSource
	configErr() error
	hasKeys() bool
	name() string
	ready() error
	attach(to sink) error
	detach()
	synced() <-chan struct{}
	enqueueAll(ctx context.Context, to sink, chosen func(wire.Key) bool)
	addTo(v informer.View)
	view() informer.View
	follows(w kube.Written) bool
	shows(w kube.Written) bool
	wait(ctx context.Context, w kube.Written) error
}

// typedSource enqueues the keys of an informer's events.
type typedSource[T any] struct {
	informer *informer.Informer[T]
	filters  []informer.Filter
	cfg      SourceConfig                                // with its defaults
	keys     func(informer.Event[T]) ([]wire.Key, error) // nil if it has no keys
	invalid  error
	reg      atomic.Pointer[informer.Registration] // set by attach
}

func newSource[T any](i *informer.Informer[T], filters []informer.Filter, keys func(informer.Event[T]) ([]wire.Key, error)) Source {
	if i == nil {
		return Source{}
	}
	s := &typedSource[T]{informer: i, filters: filters, keys: keys}
	return Source{s.with(SourceConfig{})}
}

func (f *typedSource[T]) with(cfg SourceConfig) untypedSource {
	if cfg.Name == "" {
		cfg.Name = f.informer.Info().Resource
	}
	return &typedSource[T]{informer: f.informer, filters: f.filters, cfg: cfg, keys: f.keys, invalid: f.invalid}
}

func (f *typedSource[T]) configErr() error { return f.invalid }
func (f *typedSource[T]) hasKeys() bool    { return f.keys != nil }
func (f *typedSource[T]) detach()          { remove(f.reg.Load()) }
func (f *typedSource[T]) name() string     { return f.cfg.Name }

func (f *typedSource[T]) ready() error {
	h, _ := f.informer.Health()
	return h.Ready()
}

func (f *typedSource[T]) synced() <-chan struct{} {
	if reg := f.reg.Load(); reg != nil {
		return reg.Synced()
	}
	return f.informer.Synced()
}

func (f *typedSource[T]) addTo(v informer.View)       { f.informer.In(v) }
func (f *typedSource[T]) view() informer.View         { return f.informer.View() }
func (f *typedSource[T]) follows(w kube.Written) bool { return f.informer.Follows(w) }
func (f *typedSource[T]) shows(w kube.Written) bool   { return f.informer.Shows(w) }
func (f *typedSource[T]) wait(ctx context.Context, w kube.Written) error {
	return f.informer.WaitForWrite(ctx, w)
}

// attach subscribes to the informer.
func (f *typedSource[T]) attach(to sink) error {
	if f.keys == nil {
		return nil
	}
	reg, err := f.handle(to, f.cfg.Name, func(informer.Event[T], wire.Key) bool { return true })
	if err == nil {
		f.reg.Store(reg)
	}
	return err
}

// enqueueAll enqueues the chosen keys of all current objects of the informer. It uses a new
// subscription, so that filters see the same events as at the start.
func (f *typedSource[T]) enqueueAll(ctx context.Context, to sink, chosen func(wire.Key) bool) {
	if f.keys == nil {
		return
	}
	reg, err := f.handle(to, f.cfg.Name+", all objects", func(ev informer.Event[T], key wire.Key) bool {
		return ev.Initial() && chosen(key)
	})
	if err != nil {
		return // the informer has stopped
	}
	select {
	case <-reg.Synced():
	case <-reg.Done():
	case <-ctx.Done():
	}
	remove(reg)
}

func remove(reg *informer.Registration) {
	if reg != nil {
		reg.Remove()
		<-reg.Done()
	}
}

func (f *typedSource[T]) handle(to sink, name string, chosen func(informer.Event[T], wire.Key) bool) (*informer.Registration, error) {
	handler := informer.Handler[T]{OnBatch: func(_ context.Context, events []informer.Event[T]) error {
		var fresh, initial batch
		for _, ev := range events {
			keys, err := f.keysOf(ev)
			if err != nil {
				to.mappingFailed(f.cfg.Name, ev.Key(), err)
			}
			reason := Reason{Cause: causeOf(ev), Source: f.cfg.Name, Object: ev.Key(), Version: ev.Version()}
			b := &fresh
			if ev.Initial() {
				b = &initial
			}
			for _, key := range keys {
				if chosen(ev, key) {
					b.add(key, reason)
				}
			}
		}
		return errors.Join(to.enqueue(fresh, f.cfg.Priority), to.enqueue(initial, initialPriority(f.cfg.Priority)))
	}}
	return f.informer.Handle(handler, informer.HandlerConfig{
		Name:         to.name() + ": " + name,
		Subscription: informer.SubscriptionConfig{Mode: store.EveryChange, Filters: f.filters, Resync: f.cfg.Resync},
		Report: func(err error) {
			to.log().Error("source failed", slog.String("source", f.cfg.Name), slog.Any("err", err))
		},
	})
}

// keysOf calls the user's function, and converts a panic to an error.
func (f *typedSource[T]) keysOf(ev informer.Event[T]) (keys []wire.Key, err error) {
	err = guard.Call(func() error {
		keys, err = f.keys(ev)
		return err
	})
	return keys, err
}

func initialPriority(priority int8) int8 { return int8(max(-128, int(priority)+InitialPriority)) }

func causeOf[T any](ev informer.Event[T]) Cause {
	switch {
	case ev.Resync():
		return Resynced
	case ev.Kind() == store.Deleted:
		return Deleted
	case ev.Initial():
		return Initial
	case ev.Kind() == store.Added:
		return Added
	}
	return Updated
}

// String returns the name of the source, for messages.
func (s Source) String() string {
	if s.impl == nil {
		return "empty source"
	}
	return fmt.Sprintf("source %s", s.impl.name())
}
