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
type Source struct{ feed feed }

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
	return source(i, cfg, func(ev informer.Event[T]) ([]wire.Key, error) { return []wire.Key{ev.Key()}, nil })
}

// Mapped is a source of the keys that a function makes of what happens to an
// object: of what it was before as well as of what it is, if both matter. The
// function is called on a goroutine of the informer and must be quick. If it
// panics, that is reported and counted, and the event is lost.
func Mapped[T any](i *informer.Informer[T], keys func(informer.Event[T]) []wire.Key, cfg SourceConfig) Source {
	s := source(i, cfg, func(ev informer.Event[T]) ([]wire.Key, error) { return keys(ev), nil })
	if f, ok := s.feed.(*flow[T]); ok && keys == nil {
		f.wrong = errors.New("it has no function that makes keys")
	}
	return s
}

// Reads is a source without keys: the controller begins when the informer is
// synced, has it in its views, and waits until it shows what was written.
func Reads[T any](i *informer.Informer[T]) Source {
	if i == nil {
		return Source{}
	}
	return source(i, SourceConfig{}, nil)
}

// feed is a source without its type.
type feed interface {
	err() error
	feeds() bool
	name() string
	ready() error
	attach(c *Controller) error
	detach()
	synced() <-chan struct{}
	sweep(ctx context.Context, c *Controller, chosen func(wire.Key) bool)
	pin(v informer.View)
	view() informer.View
	follows(w kube.Written) bool
	shows(w kube.Written) bool
	wait(ctx context.Context, w kube.Written) error
}

// flow carries what happens to the objects of one informer to the queue, as keys.
type flow[T any] struct {
	inf   *informer.Informer[T]
	cfg   SourceConfig
	keys  func(informer.Event[T]) ([]wire.Key, error) // nil if it feeds none
	wrong error
	reg   atomic.Pointer[informer.Registration] // once it listens
}

func source[T any](i *informer.Informer[T], cfg SourceConfig, keys func(informer.Event[T]) ([]wire.Key, error)) Source {
	if i == nil {
		return Source{}
	}
	if cfg.Name == "" {
		cfg.Name = i.Info().Resource
	}
	return Source{&flow[T]{inf: i, cfg: cfg, keys: keys}}
}

func (f *flow[T]) err() error   { return f.wrong }
func (f *flow[T]) feeds() bool  { return f.keys != nil }
func (f *flow[T]) detach()      { remove(f.reg.Load()) }
func (f *flow[T]) name() string { return f.cfg.Name }

func (f *flow[T]) ready() error {
	h, _ := f.inf.Health()
	return h.Ready()
}

func (f *flow[T]) synced() <-chan struct{} {
	if reg := f.reg.Load(); reg != nil {
		return reg.Synced()
	}
	return f.inf.Synced()
}

func (f *flow[T]) pin(v informer.View)         { f.inf.In(v) }
func (f *flow[T]) view() informer.View         { return f.inf.View() }
func (f *flow[T]) follows(w kube.Written) bool { return f.inf.Follows(w) }
func (f *flow[T]) shows(w kube.Written) bool   { return f.inf.Shows(w) }
func (f *flow[T]) wait(ctx context.Context, w kube.Written) error {
	return f.inf.WaitForWrite(ctx, w)
}

// attach begins to listen.
func (f *flow[T]) attach(c *Controller) error {
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
func (f *flow[T]) sweep(ctx context.Context, c *Controller, chosen func(wire.Key) bool) {
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

func (f *flow[T]) handle(c *Controller, name string, chosen func(informer.Event[T], wire.Key) bool) (*informer.Registration, error) {
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
		return errors.Join(c.post(fresh, f.cfg.Priority), c.post(initial, below(f.cfg.Priority)))
	}}
	return f.inf.Handle(handler, informer.HandlerConfig{
		Name:         c.cfg.Name + ": " + name,
		Subscription: informer.SubscriptionConfig{Mode: store.Latest, Filters: f.cfg.Filters, Resync: f.cfg.Resync},
		Report: func(err error) {
			c.log().Error("source failed", slog.String("source", f.cfg.Name), slog.Any("err", err))
		},
	})
}

// keysOf calls the user's function.
func (f *flow[T]) keysOf(ev informer.Event[T]) (keys []wire.Key, err error) {
	defer func() {
		if v := recover(); v != nil {
			keys, err = nil, &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f.keys(ev)
}

func below(priority int8) int8 { return int8(max(-128, int(priority)+InitialPriority)) }

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
	if s.feed == nil {
		return "empty source"
	}
	return fmt.Sprintf("source %s", s.feed.name())
}
