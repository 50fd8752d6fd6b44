package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Source is an informer as a controller uses it. Objects, Owners, Mapped and
// Reads make one.
type Source struct{ impl untypedSource }

// SourceConfig says what of an informer matters. The zero value is everything.
type SourceConfig struct {
	// Name tells the source from others in reasons, logs and health; default what
	// the informer follows.
	Name string
	// Filters choose objects and updates; all of them must agree. What they leave
	// out makes no key wait, but is in the view.
	Filters []informer.Filter
	// Priority of keys for what happens; those for objects that are there at first
	// are InitialPriority below it.
	Priority int8
	// Resync is the period after which the source tells of all its objects again;
	// default that of the informer, negative: never.
	Resync time.Duration
}

// Objects is a source of the keys of the objects themselves.
func Objects[T any](i *informer.Informer[T], cfg SourceConfig) Source {
	return newSource(i, cfg, func(ev informer.Event[T]) ([]wire.Key, error) { return []wire.Key{ev.Key()}, nil })
}

// Mapped is a source of the keys that a function makes of what happens to an
// object: of what it was before as well as of what it is, if both matter. The
// function is called on a goroutine of the informer and must be quick. If it
// panics, that is reported and counted, and the event is lost.
func Mapped[T any](i *informer.Informer[T], keys func(informer.Event[T]) []wire.Key, cfg SourceConfig) Source {
	s := newSource(i, cfg, func(ev informer.Event[T]) ([]wire.Key, error) { return keys(ev), nil })
	if f, ok := s.impl.(*typedSource[T]); ok && keys == nil {
		f.invalid = errors.New("it has no function that makes keys")
	}
	return s
}

// Reads is a source without keys: the controller begins when the informer is
// synced, has it in its views, and waits until it shows what was written.
func ReadOnly[T any](i *informer.Informer[T]) Source {
	if i == nil {
		return Source{}
	}
	return newSource(i, SourceConfig{}, nil)
}

// feed is a source without its type.
type untypedSource interface {
	configErr() error
	hasKeys() bool
	name() string
	ready() error
	attach(c *Controller) error
	detach()
	synced() <-chan struct{}
	enqueueAll(ctx context.Context, c *Controller, chosen func(wire.Key) bool)
	addTo(v informer.View)
	view() informer.View
	follows(w kube.Written) bool
	shows(w kube.Written) bool
	wait(ctx context.Context, w kube.Written) error
}

// flow carries what happens to the objects of one informer to the queue, as keys.
type typedSource[T any] struct {
	informer *informer.Informer[T]
	cfg      SourceConfig
	keys     func(informer.Event[T]) ([]wire.Key, error) // nil if it feeds none
	invalid  error
	reg      atomic.Pointer[informer.Registration] // once it listens
}

func newSource[T any](i *informer.Informer[T], cfg SourceConfig, keys func(informer.Event[T]) ([]wire.Key, error)) Source {
	if i == nil {
		return Source{}
	}
	if cfg.Name == "" {
		cfg.Name = i.Info().Resource
	}
	return Source{&typedSource[T]{informer: i, cfg: cfg, keys: keys}}
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

// attach begins to listen.
func (f *typedSource[T]) attach(c *Controller) error {
	if f.keys == nil {
		return nil
	}
	reg, err := f.handle(c, f.cfg.Name, func(informer.Event[T], wire.Key) bool { return true })
	if err == nil {
		f.reg.Store(reg)
	}
	return err
}

// sweep posts the chosen ones of all keys that the objects of the informer lead to
// now. It subscribes again, so that filters see what they always see.
func (f *typedSource[T]) enqueueAll(ctx context.Context, c *Controller, chosen func(wire.Key) bool) {
	if f.keys == nil {
		return
	}
	reg, err := f.handle(c, f.cfg.Name+", sweep", func(ev informer.Event[T], key wire.Key) bool {
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

func (f *typedSource[T]) handle(c *Controller, name string, chosen func(informer.Event[T], wire.Key) bool) (*informer.Registration, error) {
	handler := informer.Handler[T]{OnBatch: func(_ context.Context, events []informer.Event[T]) error {
		var fresh, initial batch
		for _, ev := range events {
			keys, err := f.keysOf(ev)
			if err != nil {
				c.mappingFailed(f.cfg.Name, ev.Key(), err)
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
		return errors.Join(c.enqueue(fresh, f.cfg.Priority), c.enqueue(initial, initialPriority(f.cfg.Priority)))
	}}
	return f.informer.Handle(handler, informer.HandlerConfig{
		Name:         c.cfg.Name + ": " + name,
		Subscription: informer.SubscriptionConfig{Mode: store.Latest, Filters: f.cfg.Filters, Resync: f.cfg.Resync},
		Report: func(err error) {
			c.log().Error("source failed", slog.String("source", f.cfg.Name), slog.Any("err", err))
		},
	})
}

// keysOf calls the user's function.
func (f *typedSource[T]) keysOf(ev informer.Event[T]) (keys []wire.Key, err error) {
	defer func() {
		if v := recover(); v != nil {
			keys, err = nil, &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f.keys(ev)
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

// batch are keys with reasons.
type batch struct {
	keys    []wire.Key
	reasons []Reason
}

func (b *batch) add(key wire.Key, r Reason) {
	b.keys, b.reasons = append(b.keys, key), append(b.reasons, r)
}

// String names the source, for messages.
func (s Source) String() string {
	if s.impl == nil {
		return "empty source"
	}
	return fmt.Sprintf("source %s", s.impl.name())
}
